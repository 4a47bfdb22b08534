// A prompt in sections, by the headings of its own Markdown.

export interface Section {
  title: string;
  text: string;
}

/** The sections of a prompt. A heading inside a fenced block is text of somebody, and no heading. */
export function sectionsOf(prompt: string): Section[] {
  const found: { title: string; lines: string[] }[] = [{ title: "", lines: [] }];
  let fence = "";
  for (const line of prompt.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && mark.startsWith(fence)) fence = "";
    const heading = fence ? null : /^#{1,3} (.+)$/.exec(line);
    if (heading) found.push({ title: heading[1]!.trim(), lines: [] });
    else found.at(-1)!.lines.push(line);
  }
  return found.map(({ title, lines }) => ({ title, text: lines.join("\n").replace(/^\n+|\s+$/g, "") })).filter(({ title, text }) => title || text);
}

export interface Block {
  /** Whether the lines are quoted from earlier sessions, messages and programs. */
  quoted: boolean;
  text: string;
}

/** The text of a section in blocks: what the harness says, and what it quotes. */
export function blocksOf(text: string): Block[] {
  const blocks: { quoted: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const quoted = line.startsWith(">");
    if (blocks.at(-1)?.quoted !== quoted) blocks.push({ quoted, lines: [] });
    blocks.at(-1)!.lines.push(quoted ? line.replace(/^> ?/, "") : line);
  }
  return blocks.map(({ quoted, lines }) => ({ quoted, text: lines.join("\n").replace(/^\n+|\n+$/g, "") })).filter((block) => block.text);
}
