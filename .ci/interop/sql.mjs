// Runs the SELECT lines of a Markdown file in DuckDB, in the current folder.
// usage: node sql.mjs README.md
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const lines = readFileSync(process.argv[2], "utf8").split("\n").map((l) => l.trim());
const queries = lines.filter((l) => l.startsWith("SELECT "));
if (queries.length === 0) throw new Error("no SELECT lines");
const db = await (await DuckDBInstance.create(":memory:")).connect();
for (const q of queries) {
  const rows = (await db.runAndReadAll(q)).getRowObjectsJson();
  if (rows.length === 0) throw new Error(`no rows: ${q}`);
  console.log(`${q}\n  ${rows.length} rows, first ${JSON.stringify(rows[0])}`);
}
