import { describe, expect, it } from "vitest";
import { LARGE_FILE, difference, foldPatch, rowsOf } from "./folding";
import { readPatch } from "./patch";

const CHANGED = `diff --git a/stats.py b/stats.py
index 1111111..2222222 100644
--- a/stats.py
+++ b/stats.py
@@ -1,3 +1,4 @@ def mean(values):
 def mean(values):
--- a line that looks like a header
+++ another
+    more
     return 0
\\ No newline at end of file
`;

describe("a patch", () => {
  it("is read by the counts of its hunks", () => {
    const [file] = readPatch(CHANGED);
    expect([file?.path, file?.from, file?.change, file?.added, file?.removed]).toEqual(["stats.py", "", "changed", 2, 1]);
    expect(file?.hunks[0]?.lines.map((line) => [line.kind, line.old, line.new, line.text])).toEqual([
      ["same", 1, 1, "def mean(values):"],
      ["del", 2, 0, "-- a line that looks like a header"],
      ["add", 0, 2, "++ another"],
      ["add", 0, 3, "    more"],
      ["same", 3, 4, "    return 0"],
    ]);
    expect(file?.hunks[0]?.lines.at(-1)?.unended).toBe(true);
  });

  it("has renames, modes, binaries, new and removed files", () => {
    const files = readPatch(`diff --git a/old name.py b/new name.py
similarity index 100%
rename from old name.py
rename to new name.py
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/my logo.png b/my logo.png
new file mode 100644
index 0000000..1234567
Binary files /dev/null and b/my logo.png differ
diff --git a/gone.py b/gone.py
deleted file mode 100644
index 1234567..0000000
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git "a/\\303\\244\\t\\"x\\"" "b/\\303\\244\\t\\"x\\""
index 1..2 100644
--- "a/\\303\\244\\t\\"x\\""
+++ "b/\\303\\244\\t\\"x\\""
@@ -1 +1 @@
-a
+b
`);
    expect(files.map((file) => [file.path, file.from, file.change, file.mode, file.binary, file.added, file.removed])).toEqual([
      ["new name.py", "old name.py", "renamed", "", false, 0, 0],
      ["run.sh", "", "changed", "100644 → 100755", false, 0, 0],
      ["my logo.png", "", "added", "", true, 0, 0],
      ["gone.py", "", "removed", "", false, 0, 1],
      ["empty", "", "added", "", false, 0, 0],
      ['ä\t"x"', "", "changed", "", false, 1, 1],
    ]);
  });

  it("may be cut, empty or no patch at all", () => {
    expect(readPatch("")).toEqual([]);
    expect(readPatch("<script>alert(1)</script>")).toEqual([]);
    const cut = readPatch("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-one\n+two");
    expect(cut[0]?.hunks[0]?.lines.length).toBe(2);
    expect(readPatch("diff --git a/x b/x\n@@ what is this\n")[0]?.hunks).toEqual([]);
    expect(readPatch("diff --git ")[0]?.path).toBe("");
  });
});

describe("folding", () => {
  it("folds large and generated files", () => {
    const added = `+x\n`.repeat(LARGE_FILE + 1);
    const large = `diff --git a/large b/large\n--- /dev/null\n+++ b/large\n@@ -0,0 +1,${LARGE_FILE + 1} @@\n${added}`;
    const lock = `diff --git a/web/package-lock.json b/web/package-lock.json\n--- a/web/package-lock.json\n+++ b/web/package-lock.json\n@@ -1 +1 @@\n-a\n+b\n`;
    expect(foldPatch(readPatch(CHANGED + large + lock)).map((shown) => [shown.file.path, shown.size, shown.folded])).toEqual([
      ["stats.py", 5, false],
      ["large", LARGE_FILE + 1, true],
      ["web/package-lock.json", 2, true],
    ]);
  });

  it("marks what changed in a line that was replaced", () => {
    const patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-    return total / 1\n-gone\n+    return total / len(values)\n+something else\n";
    expect(rowsOf(readPatch(patch)[0]!).map((row) => row.changed)).toEqual([null, [19, 20], null, [19, 30], null]);
    expect(difference("x".repeat(5000), "y")).toBeNull();
    expect(difference("return 😀;", "return 😁;")).toEqual([[7, 9], [7, 9]]);
  });
});
