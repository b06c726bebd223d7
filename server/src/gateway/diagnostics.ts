// Records what a project's owner can fix, such as rejected origins and tokens: one log line a minute for each kind and
// project, and counts in the store. Must not record a token, or anything in it except issuer, audience, key id and
// tier.

import { readPayload, readTokenForm, type TokenError } from '../crypto/token-form.ts'
import type { Log } from '../domain/log.ts'
import type { DiagnosticCount, DiagnosticKind } from '../kv/diagnostics.ts'
import { type ProjectRef, type Store, StoreUnavailable } from '../kv/store.ts'
import { sparseLogOf } from '../log/sparse-log.ts'

export interface DiagnosticNotes {
  note(project: ProjectRef, kind: DiagnosticKind, detail: string): void
  /** Records a token that was rejected for its issuer, audience or key; ignores other errors. */
  noteToken(project: ProjectRef, error: TokenError, token: string): void
  stop(): Promise<void>
}

interface DiagnosticDependencies {
  kv: Pick<Store, 'addDiagnostics'>
  log: Log
}

const events: Record<DiagnosticKind, string> = {
  origin_rejected: 'origin of a browser rejected',
  token_issuer_rejected: 'token rejected for its issuer',
  token_audience_rejected: 'token rejected for its audience',
  token_key_rejected: 'token rejected for its key id',
  unknown_host: 'valid token sent to an unknown host',
  unknown_tier: 'token names a tier that the project does not have',
  api_key_as_token: 'API key sent in place of a token',
}
const kindOfError: Partial<Record<TokenError, DiagnosticKind>> = {
  iss: 'token_issuer_rejected',
  aud: 'token_audience_rejected',
  kid: 'token_key_rejected',
  unknown_kid: 'token_key_rejected',
}
/** The first count of a burst is sent immediately. */
const sendEveryMs = 100
/** Details are text that clients send. */
const maxDetailLength = 200
const maxWaiting = 1_000

export function createDiagnosticNotes({ kv, log }: DiagnosticDependencies): DiagnosticNotes {
  let waiting = new Map<string, Map<string, DiagnosticCount>>()
  let count = 0
  let sending: Promise<void> | null = null

  function add({ projectId }: ProjectRef, kind: DiagnosticKind, detail: string): void {
    const ofProject = waiting.get(projectId) ?? new Map<string, DiagnosticCount>()
    const name = `${kind} ${detail}`
    const known = ofProject.get(name)
    if (known !== undefined) {
      known.count += 1
      return
    }
    if (count >= maxWaiting) return
    count += 1
    waiting.set(projectId, ofProject.set(name, { kind, detail, count: 1 }))
  }

  async function send(): Promise<void> {
    const sent = waiting
    waiting = new Map()
    count = 0
    try {
      for (const [projectId, counts] of sent) await kv.addDiagnostics(projectId, [...counts.values()])
    } catch (error) {
      // During a store outage counts are lost; they could not be read either.
      if (!(error instanceof StoreUnavailable)) log.error('diagnostics could not be counted', { error })
    }
  }

  function sendSoon(): void {
    sending ??= send().then(() => {
      setTimeout(() => {
        sending = null
        if (count > 0) sendSoon()
      }, sendEveryMs).unref()
    })
  }

  function note(project: ProjectRef, kind: DiagnosticKind, detail: string): void {
    const { projectId, tenantId } = project
    const origin = kind === 'origin_rejected' ? detail : undefined
    sparseLogOf(log).warn(events[kind], projectId, { project_id: projectId, tenant_id: tenantId, origin })
    add(project, kind, detail.slice(0, maxDetailLength).toWellFormed().replaceAll('\0', ''))
    sendSoon()
  }

  return {
    note,
    noteToken(project, error, token) {
      const kind = kindOfError[error]
      if (kind !== undefined) note(project, kind, describeToken(kind, token))
    },
    async stop() {
      await sending
      await send()
    },
  }
}

/** Unverified: the token may be forged. */
function describeToken(kind: DiagnosticKind, token: string): string {
  const form = readTokenForm(token)
  if (typeof form === 'string') return 'no key id'
  if (kind === 'token_key_rejected') return form.kid ?? 'no key id'
  const payload = readPayload(form)
  const claim = typeof payload === 'string' ? undefined : payload[kind === 'token_issuer_rejected' ? 'iss' : 'aud']
  return claim === undefined ? 'none' : typeof claim === 'string' ? claim : JSON.stringify(claim)
}
