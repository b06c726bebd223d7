// W3C Trace Context: what counts as a caller's trace, and that ours is one too.
import { expect, test } from 'vitest'
import { newSpanId, newTraceId, readTraceparent, writeTraceparent } from '../../src/telemetry/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test.each([
  ['sampled', `00-${traceId}-${spanId}-01`, true],
  ['not sampled', `00-${traceId}-${spanId}-00`, false],
  ['flags of a later time', `00-${traceId}-${spanId}-03`, true],
  ['a later version', `01-${traceId}-${spanId}-01`, true],
  ['a later version that says more', `cc-${traceId}-${spanId}-00-more-of-it`, false],
])('%s', (_, header, isSampled) => {
  expect(readTraceparent(header)).toEqual({ traceId, spanId, isSampled })
})

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['a list', [`00-${traceId}-${spanId}-01`]],
  ['two, as one header', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['the forbidden version', `ff-${traceId}-${spanId}-01`],
  ['more than version 00 says', `00-${traceId}-${spanId}-01-more`],
  ['a trace that is too short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['no flags', `00-${traceId}-${spanId}`],
  ['white space', ` 00-${traceId}-${spanId}-01`],
  ['a line end', `00-${traceId}-${spanId}-01\n`],
  ['words', 'alice@example.com'],
])('%s begins no trace', (_, header) => {
  expect(readTraceparent(header)).toBeNull()
})

test('our own ids are new each time and are read back as they were written', () => {
  const contexts = Array.from({ length: 2_000 }, (_, at) => ({
    traceId: newTraceId(),
    spanId: newSpanId(),
    isSampled: at % 2 === 0,
  }))
  expect(new Set(contexts.flatMap(context => [context.traceId, context.spanId])).size).toBe(4_000)
  for (const context of contexts) expect(readTraceparent(writeTraceparent(context))).toEqual(context)
})
