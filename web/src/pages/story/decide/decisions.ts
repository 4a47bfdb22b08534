// What a person can do with a story now, from its state.
import type { StoryDocument } from "../../../api/types";

export type Act = "answer" | "approve" | "reject" | "retry" | "undo" | "cancel";

type Known = Pick<StoryDocument, "state" | "hold" | "choices" | "until">;

const APPROVED = ["approval", "changed", "evidence", "dependencies", "message", "exhausted"];

/** Which of the buttons a story shows, the most important first. */
export function actsOf(story: Known): Act[] {
  switch (story.state) {
    case "waiting":
      if (APPROVED.includes(story.hold)) return ["approve", "reject", "cancel"];
      return story.hold === "limit" ? ["cancel"] : ["answer", "cancel"];
    case "failed":
    case "cancelled":
    case "undone":
    case "missing":
      return ["retry"];
    case "landed":
    case "proved":
      return ["undo"];
    case "undoing":
    case "done":
    case "skipped":
      return [];
    default:
      return ["cancel"];
  }
}

/** The words of the two buttons, by what is asked. */
export function decisionWords(hold: string): { approve: string; reject: string } {
  if (hold === "evidence") return { approve: "It holds: land it", reject: "It does not hold…" };
  if (hold === "exhausted") return { approve: "One more round", reject: "Give it up…" };
  if (hold === "dependencies") return { approve: "Run its gates here", reject: "Reject…" };
  if (hold === "message") return { approve: "Land it as it is worded", reject: "Reject…" };
  return { approve: "Approve and land", reject: "Reject…" };
}

/** What follows a rejection with this reason, for the dialog: a patch is changed only if somebody says how. */
export function rejectionFollows(hold: string, reason: string): string {
  const isPatch = hold === "approval" || hold === "changed";
  if (isPatch && reason.trim()) return "Your reason goes to the next step, which changes the work. Nothing lands.";
  if (isPatch) return "With a reason, the work is changed as you say. Without one, the story ends and nothing lands.";
  return "The story ends, and nothing lands. The work is kept.";
}
