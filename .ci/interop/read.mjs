// Reads Parquet files with three readers that share no code with the writer
// (hyparquet, DuckDB, arrow-rs as parquet-wasm) and checks that all see what the
// footer promises: the columns of `sweep.columns` with the right types, rows, no
// NaN or infinity, and the same number of values, least and largest in each column.
//
//   node read.mjs FILE...      one line per file; exit 1 at any mismatch
import { readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { readParquet } from 'parquet-wasm'

const physical = { float64: 'DOUBLE', int64: 'INT64', bool: 'BOOLEAN', string: 'BYTE_ARRAY' }
const duckType = { float64: 'DOUBLE', int64: 'BIGINT', bool: 'BOOLEAN', string: 'VARCHAR' }
const arrowType = { float64: 'Float64', int64: 'Int64', bool: 'Bool', string: 'Utf8' }
const cell = {
  float64: v => Number.isFinite(v),
  int64: v => typeof v === 'bigint',
  bool: v => typeof v === 'boolean',
  string: v => typeof v === 'string' && !v.includes('\0'),
}

function must(ok, message) {
  if (!ok) throw new Error(message)
}

// Count, least and largest value of a column, as text that both readers share.
// Strings are compared by their UTF-8 bytes.
function summary(values, kind) {
  const set = values.filter(v => v !== null && v !== undefined)
  const bad = set.find(v => !cell[kind](v))
  must(bad === undefined, `${bad} is no ${kind}`)
  const less = kind === 'string' ? (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : (a, b) => a < b
  let [lo, hi] = [set[0], set[0]]
  for (const v of set) {
    if (less(v, lo)) lo = v
    if (less(hi, v)) hi = v
  }
  return JSON.stringify([set.length, String(lo ?? ''), String(hi ?? '')])
}

async function check(db, path) {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const meta = Object.fromEntries((metadata.key_value_metadata ?? []).map(e => [e.key, e.value]))
  must(meta['sweep.columns'], 'no sweep.columns in the footer')
  const columns = JSON.parse(meta['sweep.columns'])
  const rows = Number(metadata.num_rows)
  must(rows > 0, 'no rows')

  const fields = metadata.schema.slice(1)
  must(fields.length === columns.length, `${fields.length} columns, the footer describes ${columns.length}`)
  const table = `read_parquet('${path.replaceAll("'", "''")}')`
  const arrow = tableFromIPC(readParquet(readFileSync(path)).intoIPCStream())
  must(arrow.numRows === rows, `${arrow.numRows} rows of ${rows} in arrow-rs`)
  const described = (await db.runAndReadAll(`DESCRIBE SELECT * FROM ${table}`)).getRowObjects()

  for (const [i, { name, kind }] of columns.entries()) {
    try {
      must(physical[kind], `unknown kind ${kind}`)
      must(fields[i].name === name && fields[i].type === physical[kind], `is ${fields[i].name} ${fields[i].type}`)
      must(described[i].column_name === name && described[i].column_type === duckType[kind],
        `is ${described[i].column_name} ${described[i].column_type} in DuckDB`)

      const vector = arrow.getChildAt(i)
      const type = String(vector.type.dictionary ?? vector.type)
      must(arrow.schema.fields[i].name === name && type === arrowType[kind],
        `is ${arrow.schema.fields[i].name} ${type} in arrow-rs`)

      const objects = await parquetReadObjects({ file, metadata, compressors, columns: [name] })
      must(objects.length === rows, `${objects.length} rows of ${rows}`)
      const js = summary(objects.map(o => o[name]), kind)

      const q = `"${name}"`
      const [r] = (await db.runAndReadAll(`SELECT count(${q}) n, min(${q}) lo, max(${q}) hi, count(*) total FROM ${table}`)).getRowObjects()
      must(Number(r.total) === rows, `${r.total} rows of ${rows} in DuckDB`)
      const duck = JSON.stringify([Number(r.n), String(r.lo ?? ''), String(r.hi ?? '')])
      must(js === duck, `hyparquet reads ${js}, DuckDB ${duck}`)
      const rust = summary([...vector], kind)
      must(js === rust, `hyparquet reads ${js}, arrow-rs ${rust}`)
    } catch (e) {
      throw new Error(`column ${name}: ${e.message}`)
    }
  }
  return `${rows} rows, ${columns.length} columns, ${metadata.row_groups.length} row groups, ${Object.keys(meta).length} metadata keys`
}

const paths = process.argv.slice(2)
if (paths.length === 0) {
  console.error('usage: node read.mjs FILE...')
  process.exit(2)
}
const db = await (await DuckDBInstance.create()).connect()
for (const path of paths) {
  try {
    console.log(`${path}: ok, ${await check(db, path)}`)
  } catch (e) {
    console.error(`${path}: ${e.message}`)
    process.exitCode = 1
  }
}
