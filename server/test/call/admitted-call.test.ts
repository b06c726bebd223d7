// A call on its way: when its cost is counted and charged, and who is told of its end.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AdmittedCall, Ending } from '../../src/call/admitted-call.ts'
import { createCall } from '../support/calls.ts'

/** A clock that stands, and a call whose account writes down what it is told. */
function openCall() {
  const clock = { ms: 1_000_000 }
  const charged: [kind: 'checkpoint' | 'settle', tokens: number][] = []
  const account = {
    checkpoint: (tokens: number) => void charged.push(['checkpoint', tokens]),
    settle: (tokens: number) => void charged.push(['settle', tokens]),
  }
  return { clock, charged, call: createCall({}, { account, now: () => clock.ms }) }
}

test('tokens are counted only for a checkpoint that is due', () => {
  const { call, clock, charged } = openCall()
  const count = vi.fn(() => 2.5)
  for (let ms = 0; ms < 5_000; ms += 10) {
    call.checkpoint(count)
    clock.ms += 10
  }
  expect(count).not.toHaveBeenCalled()
  for (let ms = 0; ms < 5_000; ms += 10) {
    call.checkpoint(count)
    clock.ms += 10
  }
  expect(count).toHaveBeenCalledTimes(1)
  expect(charged).toEqual([['checkpoint', 3]])
})

test('what is settled first is charged, in whole tokens, and nothing after it', () => {
  const { call, clock, charged } = openCall()
  call.settle(7.2)
  call.settle(9)
  call.finish()
  call.checkpoint(() => 1)
  clock.ms += 60_000
  call.checkpoint(() => 1)
  expect(charged).toEqual([['settle', 8]])
})

test('a call that nobody settled has cost nothing', () => {
  const { call, charged } = openCall()
  call.finish()
  expect(charged).toEqual([['settle', 0]])
})

test('a listener is told once, of the first reason, also if it comes late', () => {
  const call = createCall()
  const told: Ending[] = []
  call.listen(reason => told.push(reason))
  call.end('service_disabled')
  call.end('client_gone')
  expect(told).toEqual(['service_disabled'])
  expect(call.ending).toBe('service_disabled')
  call.listen(reason => told.push(reason))
  expect(told).toEqual(['service_disabled', 'service_disabled'])
})

test('a listener takes the place of the one before', () => {
  const call = createCall()
  const told: string[] = []
  call.listen(() => told.push('first'))
  call.listen(() => told.push('second'))
  call.end('server_shutting_down')
  expect(told).toEqual(['second'])
})

test('a call that nobody watches goes on', () => {
  const call = createCall()
  call.end('service_disabled')
  expect(call.ending).toBeNull()
})

test('a client that has left before the call is watched ends it at once', async () => {
  const call = createCall()
  call.response.destroy()
  await sleep(0)
  call.watch()
  expect(call.ending).toBe('client_gone')
})

test('a stop that runs out of patience ends it', () => {
  let cutOff: () => void = () => undefined
  const call = createCall(
    {},
    {
      onCutOff: callback => {
        cutOff = callback
      },
    },
  )
  call.watch()
  cutOff()
  expect(call.ending).toBe('server_shutting_down')
})

test('is in its registry while it is watched, and may be ended as it comes in', () => {
  const inside = new Set<AdmittedCall>()
  const registry = {
    add(call: AdmittedCall) {
      inside.add(call)
      call.end('service_disabled')
      return { member: call, at: 0 }
    },
    remove: ({ member }: { member: AdmittedCall | null }) => void inside.delete(member!),
  }
  const call = createCall({}, { registry })
  expect(inside.size).toBe(0)
  const told: Ending[] = []
  call.listen(reason => told.push(reason))
  expect([inside.has(call), told]).toEqual([true, ['service_disabled']])
  call.finish()
  expect(inside.size).toBe(0)
})

test.each<[Ending, number, boolean]>([
  ['service_disabled', 1_199, false],
  ['service_disabled', 1_201, true],
  ['server_shutting_down', 1_201, true],
  ['client_gone', 1_201, false],
])('a client that takes nothing of a call ended by %s is cut off within %i ms: %s', (reason, ms, isCut) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const call = createCall()
  call.watch()
  call.end(reason)
  vi.advanceTimersByTime(ms)
  expect(call.response.destroyed).toBe(isCut)
})
