// Tests in a real browser, against a real server: `just board`.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["e2e/**/*.e2e.ts"],
    root: new URL("..", import.meta.url).pathname,
    testTimeout: 400_000,
    hookTimeout: 200_000,
    fileParallelism: false,
  },
});
