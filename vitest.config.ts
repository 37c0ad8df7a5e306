import { defineConfig } from "vitest/config"

const report = process.env["HEED_TEST_REPORT"]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // Most files wait for processes of their own, so they need no core each.
    maxWorkers: 2,
    globalSetup: ["test/support/tools.ts", "test/support/bundle.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]]
  }
})
