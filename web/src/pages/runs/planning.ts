// What a plan says besides its stories.
import type { Documents } from "../../api/types";

const MOST = 6;

/** The order, the estimate, what may be changed and the warnings, as `shiftwork plan` prints them. */
export function planNotes(plan: Documents["Plan"]): string[] {
  const notes = [];
  if (plan.ordered && plan.stories.length > 1) notes.push("Worked on one after the other.");
  else if (plan.critical_path.length > 1) notes.push(`Critical path: ${plan.critical_path.join(" → ")}`);
  if (plan.cost_band) notes.push(`Estimated cost: ${plan.cost_band.low_usd.toFixed(2)} to ${plan.cost_band.high_usd.toFixed(2)} USD`);
  for (const [story, files] of Object.entries(plan.may_change)) notes.push(`${story} may change ${files.join(", ")}`);
  const warnings = plan.remarks.map((remark) => `${remark.story}: ${remark.criterion ? `${remark.criterion} ` : ""}${remark.text}`);
  notes.push(...warnings.slice(0, MOST));
  if (warnings.length > MOST) notes.push(`and ${warnings.length - MOST} more warnings`);
  if (plan.file) notes.push(`Written to ${plan.file}: you may edit it before you start it.`);
  return notes;
}
