// Shifts the clock of a server process by the milliseconds in a file, which may change at any time. So a new
// installation gets a past: the server writes each day and each minute itself. Loaded before the server, by `--import`.
import { readFileSync } from 'node:fs'

const path = process.env['SHIFTED_CLOCK_FILE']
if (path === undefined) throw new Error('SHIFTED_CLOCK_FILE must name a file with milliseconds')

const RealDate = Date
const now = (): number => RealDate.now() + Number(readFileSync(path, 'utf8'))

class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [now()] : given) as [number]))
  }
  static override now(): number {
    return now()
  }
}
globalThis.Date = ShiftedDate as DateConstructor
