// Runs mixed load for minutes: bursts of short answers, paced streams, streams that clients abort, requests without a
// token. Measures whether the product's memory stays flat; any unexpected response fails the run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Mode, runRound, type Scene } from './load.ts'
import { readResidentMegabytes } from './process.ts'
import { median } from './report.ts'
import type { Target } from './target.ts'

const burst: Mode = { name: 'bursts', kind: 'short', connections: 16 }
const streams: Mode = { name: 'streams', kind: 'paced', connections: 64 }
/** A burst takes a fifth of each turn: minutes of bursts alone would measure the disk of the usage rows. */
const turnSeconds = 10
const burstSeconds = 2
/** In the first part of a run the program still warms up. */
const settlingShare = 0.3
const maxGrowthPercent = 5

interface Turn {
  minute: number
  residentMegabytes: number
  requests: number
  chunks: number
  left: number
  refused: number
}

export async function soak(
  scene: Scene,
  target: Target,
  minutes: number,
  say: (line: string) => void,
): Promise<Turn[]> {
  const turns: Turn[] = []
  const began = performance.now()
  while (performance.now() - began < minutes * 60_000) {
    const turn = await runTurn(scene, target)
    const minute = (performance.now() - began) / 60_000
    turns.push({ ...turn, minute, residentMegabytes: readResidentMegabytes(target.pid!) })
    say(`minute ${minute.toFixed(1)} of ${minutes}: ${turns.at(-1)!.residentMegabytes.toFixed(0)} MB`)
  }
  return turns
}

async function runTurn(scene: Scene, target: Target): Promise<Omit<Turn, 'minute' | 'residentMegabytes'>> {
  let isOver = false
  const odd = oddRequests(scene, target, () => isOver)
  const load = Promise.all([
    runRound(scene, target, streams, turnSeconds),
    sleep(2_000).then(() => runRound(scene, target, burst, burstSeconds)),
  ]).finally(() => {
    isOver = true
  })
  const [[streamed, short], { left, refused }] = await Promise.all([load, odd])
  return {
    requests: Math.round(short.requestsPerSecond * burstSeconds),
    chunks: Math.round(streamed.chunksPerSecond * turnSeconds),
    left,
    refused,
  }
}

/** Aborted streams, and requests without a token, ten times a second. */
async function oddRequests(scene: Scene, target: Target, isOver: () => boolean) {
  const body = readFileSync(scene.loads.chat_completions.bodies.paced, 'utf8')
  const lines = readFileSync(target.tokensFile, 'utf8').trim().split('\n')
  let [left, refused] = [0, 0]
  for (let turn = 0; !isOver(); turn++) {
    const [host = '', token = ''] = lines[turn % lines.length]!.split(' ')
    if (turn % 2 === 0) {
      await leaveStream(target, host, token, body, 20 + (turn % 10) * 30)
      left++
    } else {
      await beRefused(target, host, body)
      refused++
    }
    await sleep(50)
  }
  return { left, refused }
}

function leaveStream(target: Target, host: string, token: string, body: string, afterMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = send(target, host, token)
    sent.once('response', response => {
      if (response.statusCode !== 200) reject(new Error(`a stream was answered ${response.statusCode}`))
      response.resume().once('error', () => undefined)
      setTimeout(() => {
        sent.destroy()
        resolve()
      }, afterMs)
    })
    sent.once('error', reject).end(body)
  })
}

function beRefused(target: Target, host: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = send(target, host, null)
    sent.once('response', response => {
      if (response.statusCode !== 401) reject(new Error(`no token was answered ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
    sent.once('error', reject).end(body)
  })
}

function send({ port }: Target, host: string, token: string | null) {
  const headers = {
    host,
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  }
  return request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions', agent: false, headers })
}

/** Writes the table; returns whether the memory was flat. */
export function reportSoak(
  turns: readonly Turn[],
  target: Target,
  minutes: number,
  say: (line: string) => void,
): boolean {
  const settled = turns.slice(Math.floor(turns.length * settlingShare))
  const part = Math.max(1, Math.floor(settled.length / 3))
  const memory = (some: readonly Turn[]) => median(some.map(turn => turn.residentMegabytes))
  const [early, late] = [memory(settled.slice(0, part)), memory(settled.slice(-part))]
  const growth = (100 * (late - early)) / early
  const isFlat = growth <= maxGrowthPercent
  const sum = (read: (turn: Turn) => number) => turns.reduce((all, turn) => all + read(turn), 0)
  const perMinute = Map.groupBy(turns, turn => Math.ceil(turn.minute))
  const rows = [...perMinute].map(([minute, some]) => `| ${minute} | ${memory(some).toFixed(0)} |`)
  const date = new Date().toISOString().slice(0, 10)
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const text = [
    `# soak, ${date}, commit ${commit}`,
    `${target.name}: ${target.about}. ${minutes} minutes on ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}.`,
    `${sum(turn => turn.requests)} short answers, ${sum(turn => turn.chunks)} chunks of streams, ${sum(turn => turn.left)} streams left by their readers, ${sum(turn => turn.refused)} requests refused; no other outcome.`,
    `Memory after the first ${settlingShare * 100} %: ${early.toFixed(0)} MB, at the end ${late.toFixed(0)} MB, ${growth.toFixed(1)} % (asked: at most ${maxGrowthPercent} %): ${isFlat ? 'flat' : 'NOT flat'}.`,
    ['| minute | RSS MB, median |', '|---:|---:|', ...rows].join('\n'),
  ].join('\n\n')
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
  const stem = join(import.meta.dirname, 'results', `${date}-soak`)
  writeFileSync(`${stem}.md`, `${text}\n`)
  writeFileSync(`${stem}.json`, `${JSON.stringify({ commit, target: target.name, minutes, turns }, null, 1)}\n`)
  say(text)
  return isFlat
}
