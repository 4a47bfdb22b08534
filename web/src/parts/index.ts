// The shared components of the board.
export * from "./controls";
export * from "./Dialog";
export * from "./marks";
export { Notes, say, sayError } from "./Notes";
export * from "./states";
export * from "./Tabs";
export * from "./When";
