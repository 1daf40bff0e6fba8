import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const api = process.env.LANEKEEPER_URL ?? "http://127.0.0.1:8000";
const routes = ["/chat", "/conversations", "/agents", "/models", "/me", "/dev", "/config.json"];

export default defineConfig({
  // Relative addresses: the page works at the root, under a stage prefix and behind a CDN alike.
  base: "./",
  plugins: [react()],
  build: {
    target: "es2022",
    // The content security policy lets nothing in but files of this origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: Object.fromEntries(routes.map((route) => [route, api])) },
  test: { include: ["tests/**/*.test.{ts,tsx}"], environment: "node" },
});
