// Makes the lines of an attempt's log readable: who said what. The same rules as `shiftwork logs`.
//
// A log contains what the agent printed, line by line, in the agent's own format: the harness's own notes, the JSON
// messages of Claude Code, Codex and ACP agents, or plain text. Other JSON is shown as it is.

export type Who = "text" | "tool" | "result" | "final" | "note" | "stderr";

export interface Said {
  who: Who;
  text: string;
  /** The tool of a call. */
  tool: string;
}

type Json = Record<string, unknown>;

const ARGUMENTS = ["command", "file_path", "path", "pattern", "query", "url", "description"];

const NOTES: Record<string, Who> = {
  text: "text",
  tool_start: "tool",
  tool_end: "tool",
  final: "final",
  stderr: "stderr",
  remark: "note",
  dropped: "note",
};

/** What a line says; empty if it does not matter to a reader. */
export function read(line: string): Said[] {
  const value = /^\s*\{/.test(line) ? parsed(line) : null;
  if (!value) return line.trim() ? [said("text", line)] : [];
  const kind = value["type"];
  if (typeof kind !== "string") return "jsonrpc" in value ? overAcp(value) : "type" in value ? [] : [said("text", line)];
  const note = Object.hasOwn(NOTES, kind) ? NOTES[kind] : undefined;
  if (note) return [said(note, text(value, "text"), text(value, "tool"))];
  switch (kind) {
    case "assistant":
    case "user":
      return messages(value);
    case "result":
      return final(value);
    case "system":
      return value["subtype"] === "init" ? [said("note", `session begins, model ${text(value, "model") || "unknown"}`)] : [];
    case "item.started":
      return itemStarted(value);
    case "item.completed":
      return itemCompleted(value);
    case "turn.completed":
    case "turn.failed":
      return [said("final", text(inner(value, "error"), "message") || "the session is over")];
    case "error":
      return [said("note", text(value, "message"))];
    default:
      return "jsonrpc" in value ? overAcp(value) : [];
  }
}

function messages(value: Json): Said[] {
  const content = inner(value, "message")["content"];
  return list(content).flatMap((block): Said[] => {
    if (block["type"] === "text") return [said("text", text(block, "text"))];
    if (block["type"] === "tool_use") return [said("tool", argument(block["input"]), text(block, "name"))];
    if (block["type"] === "tool_result") return [said("result", result(block["content"]))];
    return [];
  });
}

function final(value: Json): Said[] {
  const cost = value["total_cost_usd"];
  const ended = said("final", text(value, "result"));
  return typeof cost === "number" ? [ended, said("note", `cost ${cost.toFixed(2)} USD`)] : [ended];
}

function itemStarted(value: Json): Said[] {
  const item = inner(value, "item");
  const tool = text(item, "tool") || text(item, "type");
  return tool ? [said("tool", text(item, "command") || argument(item["arguments"]), tool)] : [];
}

function itemCompleted(value: Json): Said[] {
  const item = inner(value, "item");
  switch (item["type"]) {
    case "agent_message":
      return [said("text", text(item, "text"))];
    case "error":
      return [said("note", text(item, "message"))];
    case "command_execution":
      return [said("result", text(item, "aggregated_output"))];
    case "mcp_tool_call":
      return [said("result", result(inner(item, "result")["content"]))];
    case "file_change":
      return [said("result", list(item["changes"]).map((change) => text(change, "path")).join("\n"))];
    default:
      return [];
  }
}

function overAcp(value: Json): Said[] {
  const update = inner(inner(value, "params"), "update");
  if (update["sessionUpdate"] === "agent_message_chunk") return [said("text", text(inner(update, "content"), "text"))];
  if (update["sessionUpdate"] === "tool_call") return [said("tool", text(update, "title"), text(update, "kind"))];
  const reason = text(inner(value, "result"), "stopReason");
  if (reason) return [said("final", `the session is over: ${reason}`)];
  const trouble = text(inner(value, "error"), "message");
  return trouble ? [said("note", trouble)] : [];
}

/** The most informative argument of a call, or all of them. */
function argument(value: unknown): string {
  const found = ARGUMENTS.map((name) => text(object(value), name)).find(Boolean);
  if (found) return found;
  return value && typeof value === "object" && Object.keys(value).length ? JSON.stringify(value) : "";
}

function result(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content).map((part) => text(part, "text")).join("\n");
}

function parsed(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return value && typeof value === "object" && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

function object(value: unknown): Json {
  return value && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {};
}

function inner(value: Json, name: string): Json {
  return object(value[name]);
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((each) => each && typeof each === "object").map(object) : [];
}

function text(value: Json, name: string): string {
  const found = value[name];
  return typeof found === "string" ? found : "";
}

function said(who: Who, words: string, tool = ""): Said {
  return { who, text: words, tool };
}
