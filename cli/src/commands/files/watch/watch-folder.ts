// Applies the files of a folder again and again, so that their projects are as they say. Of several that watch, the one
// with the lease of a project applies its file.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shown } from '../../../frame/command.ts'
import type { Context } from '../../../frame/context.ts'
import { toFailure } from '../../../frame/failure.ts'
import { readChanges } from '../../settings.ts'
import { applyDocument, compareDraft, type DocumentSource } from '../draft.ts'
import type { WatchStatus } from './watch-status.ts'
import { listWatchedFiles, type WatchedFile } from './watched-files.ts'

export interface Watch {
  folder: string
  intervalSeconds: number
  deploys: boolean
  read(path: string): DocumentSource
  contextOf(project: string): Context
  status: WatchStatus
  /** Ends the watch after what is being applied. */
  signal: AbortSignal
}

/** A watcher that dies is replaced after this many rounds. */
const leaseRounds = 3
const leasePath = '/auth/v1/projects/{projectId}/file-lease'

export async function* watchFolder(watch: Watch): AsyncIterable<Shown> {
  const holder = `${hostname().slice(0, 60)} ${randomUUID()}`
  const held = new Map<string, Context>()
  try {
    while (!watch.signal.aborted) {
      yield* runRound(watch, holder, held)
      await sleep(watch.intervalSeconds * 1000, undefined, { signal: watch.signal }).catch(ignoreEnd)
    }
  } finally {
    // So that another watcher need not wait until they expire.
    await Promise.allSettled([...held.values()].map(context => askForLease(context, holder, 0)))
  }
}

function ignoreEnd(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error
}

async function* runRound(watch: Watch, holder: string, held: Map<string, Context>): AsyncIterable<Shown> {
  let files: WatchedFile[]
  try {
    files = listWatchedFiles(watch.folder)
  } catch (error) {
    yield show(watch.folder, 'failed', describe(error))
    return
  }
  watch.status.keepOnly(files.map(({ project }) => project))
  for (const file of files) {
    if (watch.signal.aborted) return
    const status = watch.status.of(file.project)
    try {
      const context = watch.contextOf(file.project)
      status.isLeader = await askForLease(context, holder, watch.intervalSeconds * leaseRounds)
      if (!status.isLeader) continue
      held.set(file.project, context)
      const words = await reconcile(watch, file, context)
      Object.assign(status, { isInSync: true, lastSuccess: Math.floor(Date.now() / 1000) })
      if (words === null) continue
      status.applied += 1
      yield show(file.project, 'applied', words)
    } catch (error) {
      status.isInSync = false
      status.failed += 1
      yield show(file.project, 'failed', describe(error))
    }
  }
}

async function askForLease(context: Context, holder: string, seconds: number): Promise<boolean> {
  const { id: projectId } = await context.project()
  const request = { path: { projectId }, body: { holder, seconds } }
  return (await context.client().request('POST', leasePath, request)).is_held
}

/** Null if nothing had to be changed. What somebody else changes meanwhile is left to the next round. */
async function reconcile({ read, deploys }: Watch, { path }: WatchedFile, context: Context): Promise<string | null> {
  const source = read(path)
  const { changes } = await compareDraft(source, context)
  const isLive = !deploys || (await readChanges(context)).length === 0
  if (changes.length === 0 && isLive) return null
  await applyDocument(source, { deploys, isDry: false }, context)
  const fields = changes.map(({ field }) => field)
  const applied = fields.length === 0 ? [] : [`changed ${fields.slice(0, 20).join(', ')}`]
  return [...applied, ...(deploys ? ['deployed'] : [])].join(', and ')
}

function describe(error: unknown): string {
  const failure = toFailure(error)
  if (failure === null) throw error
  return failure.message
}

function show(project: string, outcome: 'applied' | 'failed', message: string): Shown {
  const at = new Date().toISOString()
  return { json: { at, project, outcome, message }, text: `${at} ${project} ${outcome}: ${message}` }
}
