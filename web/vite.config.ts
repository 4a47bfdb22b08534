// How the board is built: into the Python package, with no inline code, because the server's policy forbids it.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** The address that `shiftwork serve` prints, for `npm run dev`. */
const server = process.env["SHIFTWORK_SERVER"] ?? "http://127.0.0.1:8377";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: process.env["BOARD_FOLDER"] ?? "../src/shiftwork/board",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: true,
  },
  server: {
    proxy: {
      "/api": {
        target: server,
        changeOrigin: true,
        configure: (proxy) => {
          proxy.on("proxyReq", (request) => {
            if (request.getHeader("origin")) request.setHeader("origin", server);
          });
        },
      },
    },
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
