// All keys that work on this page.
import { useState } from "react";
import { boundKeys } from "../keyboard/keys";
import { Dialog, Key } from "../parts";

export function AllKeys({ onClose }: { onClose: () => void }) {
  const [keys] = useState(boundKeys);
  return (
    <Dialog title="All keys" onClose={onClose}>
      <div className="in">
        <dl className="kv">
          {keys.map((each) => (
            <div key={each.keys} style={{ display: "contents" }}>
              <dt>
                <Key keys={each.keys} />
              </dt>
              <dd>{each.label}</dd>
            </div>
          ))}
        </dl>
        <p className="faint">Single keys are off while you type.</p>
      </div>
    </Dialog>
  );
}
