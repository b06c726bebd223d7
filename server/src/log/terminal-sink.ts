// Rewrites log lines for a terminal: `12:30:01 warn the event name=value`, instead of JSON. Only for lines from
// log.ts, which contain no field that must not be shown.
import type { LogSink } from './log-sink.ts'

export function createTerminalSink(output: { write(text: string): unknown }): LogSink {
  return {
    write(line) {
      const { level, time, event, ...fields } = JSON.parse(line) as Record<string, unknown>
      const words = Object.entries(fields).map(([name, value]) => ` ${name}=${show(value)}`)
      output.write(`${String(time).slice(11, 19)} ${level} ${event}${words.join('')}\n`)
    },
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
