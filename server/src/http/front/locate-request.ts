// Finds where a request goes from its Host header, its target and the secret of our own services. Rejects what two
// readers could read differently.
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../domain/errors.ts'
import { type ErrorFormat, gatewayErrors, managementErrors } from '../error-formats.ts'
import type { PlaneRequest } from '../exchange.ts'
import type { FastLaneRequest } from '../fast-lane/request.ts'
import type { HostDecider, HostDecision } from './host-decision.ts'
import { readHost, readTarget } from './request-hygiene.ts'
import { parseTarget } from './request-target.ts'

export interface Destination {
  host: HostDecision
  /** For a project, without the `/p/{slug}` of the path form. */
  path: string
  query: string
  isInternal: boolean
}

interface Deciders {
  decideHost: HostDecider
  isInternalSecret: (secret: string) => boolean
}

export const tlsAllowedPath = '/internal/tls-allowed'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export const refusedMethod = () => new Refusal('method_not_allowed', { headers: { allow: methods.join(', ') } })

/** Throws if the request has no destination; sets `words` as soon as the format of its errors is known. */
export function locate(deciders: Deciders, request: IncomingMessage, words: { format: ErrorFormat }): Destination {
  const hostName = readHost(request)
  const isInternal = hasSecret(deciders, request)
  // Decided by the host alone, so that an invalid target is rejected in the right format.
  words.format = errorsOf(deciders.decideHost(hostName.name, '/', isInternal))
  const { path, query } = readTarget(request, hostName)
  const host = deciders.decideHost(hostName.name, path, isInternal)
  words.format = errorsOf(host)
  if (!methods.includes(request.method ?? '')) throw refusedMethod()
  return { host, path: host.kind === 'project' ? host.path : path, query, isInternal }
}

/** Returns null unless the path clearly belongs to the data plane. */
export function locatePlain(deciders: Deciders, request: FastLaneRequest): Destination | null {
  const target = parseTarget(request.url)
  if (target === null || target.path === tlsAllowedPath) return null
  const isInternal = hasSecret(deciders, request)
  const host = deciders.decideHost.byHeader(request.headers.host ?? '', target.path, isInternal)
  if (host === null) return null
  const path = host.kind === 'project' ? host.path : target.path
  return isProbe(path, false) ? null : { host, path, query: target.query, isInternal }
}

/** Probes are answered on every host; `/keepalive` only on the management host. */
export function isProbe(path: string, isManagement: boolean): boolean {
  return path === '/healthz' || path === '/readyz' || (isManagement && path === '/keepalive')
}

function hasSecret({ isInternalSecret }: Deciders, { headers }: PlaneRequest): boolean {
  const secret = headers['x-internal-secret']
  return typeof secret === 'string' && isInternalSecret(secret)
}

const errorsOf = ({ kind }: HostDecision): ErrorFormat => (kind === 'management' ? managementErrors : gatewayErrors)
