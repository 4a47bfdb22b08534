// The prompt of an attempt, as it was sent.
import { useEffect, useMemo, useState } from "react";
import { ApiError, read } from "../../api/client";
import { useKeys } from "../../keyboard/keys";
import { Blank, Bones, Button, Problem, say } from "../../parts";
import { Shown } from "../../text/Shown";
import { blocksOf, sectionsOf } from "./prompt";

interface Part {
  next_offset: number;
  size: number;
  text: string;
}

const PART_BYTES = 1 << 18;

export function PromptTab({ address, label }: { address: string; label: string }) {
  const { text, error } = usePrompt(address);
  const sections = useMemo(() => sectionsOf(text ?? ""), [text]);
  const copy = () => void navigator.clipboard.writeText(text ?? "").then(() => say("The prompt is copied"), () => say("The browser does not allow to copy", "failed"));
  useKeys([{ keys: "y", label: "Copy the prompt", act: copy }]);
  if (error) return <Problem title="The prompt could not be read" error={error} />;
  if (text === undefined) return <Bones label="Loading the prompt" />;
  if (!text) return <Blank title="The prompt is not stored any more">Shiftwork removes prompts of old runs when it cleans up.</Blank>;
  return (
    <div className="body wideb">
      <div className="head">
        <p className="muted">
          As sent for {label}. {text.length.toLocaleString("en")} characters.
        </p>
        <Button className="push" onClick={copy} keys="y">
          Copy
        </Button>
      </div>
      <div className="prompt">
        {sections.map((section, place) => (
          <section key={place} aria-label={section.title || "Beginning"}>
            <div>
              <b>
                <Shown text={section.title || "Task"} />
              </b>
              <br />
              <span className="faint">{section.text.length.toLocaleString("en")} characters</span>
            </div>
            <div>
              {blocksOf(section.text).map((block, at) => (
                <pre key={at} className={`said${block.quoted ? " quoted" : ""}`}>
                  <Shown text={block.text} />
                </pre>
              ))}
            </div>
          </section>
        ))}
      </div>
    </div>
  );
}

/** The whole prompt, read in parts. */
function usePrompt(address: string): { text: string | undefined; error: ApiError | undefined } {
  const [found, setFound] = useState<{ text: string | undefined; error: ApiError | undefined }>({ text: undefined, error: undefined });
  useEffect(() => {
    const stop = new AbortController();
    setFound({ text: undefined, error: undefined });
    const load = async () => {
      let [offset, text] = [0, ""];
      for (;;) {
        const part = await read<Part>(`${address}?offset=${offset}&limit=${PART_BYTES}`, stop.signal);
        text += part.text;
        if (part.next_offset >= part.size || part.next_offset === offset) return text;
        offset = part.next_offset;
      }
    };
    load().then(
      (text) => setFound({ text, error: undefined }),
      (error: unknown) => stop.signal.aborted || setFound({ text: undefined, error: error instanceof ApiError ? error : new ApiError(0, "page", String(error)) }),
    );
    return () => stop.abort();
  }, [address]);
  return found;
}
