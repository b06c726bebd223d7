// Tests that the bench waits for idle programs, and counts the processor time of all processes of a target.
import { expect, onTestFinished, test } from 'vitest'
import { waitUntilIdle } from '../../../bench/idle.ts'
import { measuredCoresFor, readCpuMicros, readTree } from '../../../bench/process.ts'
import { startProcess } from '../support/server-process.ts'

/** A machine whose clock moves while something sleeps; processes use what the functions say at that time. */
function simulate(usedAt: Record<number, (ms: number) => number>) {
  let ms = 0
  return {
    ms: () => ms,
    watch: {
      readMicros: (pid: number) => usedAt[pid]!(ms),
      now: () => ms,
      sleep: async (step: number) => {
        ms += step
      },
    },
  }
}

test('idle programs are waited for during half a second', async () => {
  const { ms, watch } = simulate({ 1: () => 70_000, 2: () => 0 })
  expect(await waitUntilIdle([1, 2], watch)).toEqual([])
  expect(ms()).toBe(500)
})

test('a program that goes on is waited for until it has been quiet for half a second', async () => {
  const busyUntil = 3_000
  const { ms, watch } = simulate({ 1: () => 0, 2: at => Math.min(at, busyUntil) * 1000 })
  expect(await waitUntilIdle([1, 2], watch)).toEqual([])
  expect(ms()).toBeGreaterThanOrEqual(busyUntil + 500 - 50)
  expect(ms()).toBeLessThan(busyUntil + 700)
})

test("a runtime's timers do not count, steady work of a tenth of a core does", async () => {
  const ticks = (perSecond: number) => (at: number) => Math.floor((at / 1000) * perSecond) * 10_000
  const timers = simulate({ 1: ticks(1) })
  expect(await waitUntilIdle([1], timers.watch)).toEqual([])
  expect(timers.ms()).toBe(500)
  const worker = simulate({ 1: ticks(10) })
  expect(await waitUntilIdle([1], worker.watch)).toEqual([1])
})

test('a program that never rests is reported after a minute', async () => {
  const { ms, watch } = simulate({ 1: () => 0, 2: at => at * 1000 })
  expect(await waitUntilIdle([1, 2], watch)).toEqual([2])
  expect(ms()).toBe(60_000)
})

test('processor time includes children, their children, and those that ended', async () => {
  const script = `
    spin() { i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; }
    (spin)
    ( (spin; sleep 60; :) & wait) & wait`
  const server = await startProcess({ command: 'sh', args: ['-c', script], asGroup: true })
  onTestFinished(async () => {
    await server.end('SIGKILL')
  })
  await expect.poll(() => readTree(server.pid).length).toBe(4)
  const grandchild = readCpuMicros(readTree(server.pid)[2]!)
  expect(grandchild).toBeGreaterThan(0)
  // The rest is the child's that ended: the others only wait.
  expect(readCpuMicros(server.pid)).toBeGreaterThanOrEqual(grandchild + 20_000)
})

test('each process has a core if one remains for the load', () => {
  expect(measuredCoresFor(1, 2)).toEqual([0])
  expect(measuredCoresFor(2, 2)).toEqual([0])
  expect(measuredCoresFor(2, 3)).toEqual([0, 2])
  expect(measuredCoresFor(4, 8)).toEqual([0, 2, 3, 4])
  expect(measuredCoresFor(8, 8)).toEqual([0])
})
