// Heads that follow each other on one connection: what is expected of a client never changes what it is found to have
// said, and nothing of a head outlives its request.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { FastLaneHeadReader } from '../../../src/http/fast-lane/request-head.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const names = ['Host', 'User-Agent', 'Accept', 'X-Session-Id', 'Authorization', 'X-Session', 'accept']
const headOf = (path: string, order: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, ...order.map(name => `${name}: of ${name} at ${path}`)].join('\r\n')

it('reads each head as if it were the first, whatever came before', () => {
  const reader = new FastLaneHeadReader()
  for (let number = 0; number < 2_000; number++) {
    const at = number % names.length
    const others = [...names.slice(at), ...names.slice(0, at)].slice(0, 1 + ((number * 5) % names.length))
    const text = headOf(`/v1/threads/${number % 40 ? number : 'x'.repeat(300)}`, ['Host', ...others])
    expect(reader.read(text)).toEqual(new FastLaneHeadReader().read(text))
  }
})

it('keeps nothing of the heads it has read but what comes again', () => {
  const readers = Array.from({ length: 300 }, () => new FastLaneHeadReader())
  collect()
  const before = process.memoryUsage().heapUsed
  for (let number = 0; number < 900; number++) {
    const path = `/v1/threads/00000000-0000-4000-8000-${number}${number < 600 ? '' : '?'.repeat(300)}`
    const head = `${headOf(path, ['Host', `X-Made-Up-${number}`])}\r\nAuthorization: Bearer ${'t'.repeat(20_000)}`
    // As it comes from a connection: one text.
    expect(readers[number % readers.length]!.read(Buffer.from(head).toString('latin1'))).not.toBeNull()
  }
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(3_000_000)
})

it('looks once at a name that comes again, however many were made up before', () => {
  const lowered = vi.spyOn(String.prototype, 'toLowerCase')
  onTestFinished(() => lowered.mockRestore())
  const looksAt = (name: string) => lowered.mock.contexts.filter(text => String(text).includes(name)).length
  for (let number = 0; number < 1_500; number++) new FastLaneHeadReader().read(headOf('/v1/models', [`X-No-${number}`]))
  for (let turn = 0; turn < 5; turn++) new FastLaneHeadReader().read(headOf('/v1/models', ['X-Late']))
  expect(looksAt('X-Late')).toBe(1)
})
