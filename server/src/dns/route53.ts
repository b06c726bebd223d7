// Manages records by the Amazon Route 53 API: both names of a project in one change batch, which is applied as a whole
// or not at all. A deletion must repeat the existing record exactly, so the records are listed first.
import { type AwsCredentials, signAwsRequest } from '../crypto/sign-aws-request.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { type ApiAnswer, callApi, quoteWords, statusFailure } from './call-api.ts'
import { coveredNames } from './covered-names.ts'
import { DnsFailure } from './dns-failure.ts'
import { type DnsDriver, type DnsTarget, type HostNames, recordTtlSeconds, recordTypes } from './driver.ts'
import { findText, type RecordChange, type RecordSet, readRecordSets, writeChangeBatch } from './route53-xml.ts'

export interface Route53Settings {
  target: DnsTarget
  accessKeyId: string
  secretAccessKey: string
  zoneId: string
  apiBase: string
}

type Call = (method: 'GET' | 'POST', path: string, body?: string) => Promise<ApiAnswer>

const provider = 'Route 53'

export function createRoute53Driver(
  settings: Route53Settings,
  outbound: Pick<Outbound, 'send'>,
  now: () => number,
): DnsDriver {
  const { target, accessKeyId, secretAccessKey } = settings
  const credentials = { accessKeyId, secretAccessKey, sessionToken: null }
  const read = (answer: ApiAnswer) => readGood(answer, secretAccessKey)
  let zone: string | null = null

  const namesOf = async (call: Call, hosts: HostNames) => {
    zone ??= readZoneName(read(await call('GET', '')))
    return coveredNames(zone, hosts)
  }

  const list = async (call: Call, names: string[]) => {
    const sets: RecordSet[] = []
    for (const name of names) {
      // Sorted by name, starting at this one.
      const answer = await call('GET', `/rrset?maxitems=20&name=${encodeURIComponent(`${name}.`)}`)
      sets.push(...readRecordSets(read(answer)).filter(set => set.name.toLowerCase() === `${name}.` && isOurs(set)))
    }
    return sets
  }

  const change = async (call: Call, changes: RecordChange[]) => {
    if (changes.length > 0) read(await call('POST', '/rrset', writeChangeBatch(changes)))
  }

  return {
    async register(hosts, signal) {
      const call = callUnder(outbound, settings, credentials, now, signal)
      const names = await namesOf(call, hosts)
      const wanted = names.map(name => recordOf(name, target))
      const found = await list(call, names)
      // Conflicting records are deleted in the same batch: a name with a CNAME cannot have an address, or the reverse.
      await change(call, [
        ...found.filter(set => set.type !== target.type).map(record => ({ action: 'DELETE' as const, record })),
        ...wanted
          .filter(record => !found.some(set => isSame(set, record)))
          .map(record => ({ action: 'UPSERT' as const, record })),
      ])
    },
    async remove(hosts, signal) {
      const call = callUnder(outbound, settings, credentials, now, signal)
      const found = await list(call, await namesOf(call, hosts))
      await change(
        call,
        found.map(record => ({ action: 'DELETE', record })),
      )
    },
  }
}

function callUnder(
  outbound: Pick<Outbound, 'send'>,
  { zoneId, apiBase }: Route53Settings,
  credentials: AwsCredentials,
  now: () => number,
  signal: AbortSignal,
): Call {
  // ROUTE53_ZONE_ID may be the id that the console shows, or the API's, which begins with `/hostedzone/`.
  const zone = `${apiBase}/2013-04-01/hostedzone/${encodeURIComponent(zoneId.replace(/^\/hostedzone\//, ''))}`
  const region = regionOf(apiBase)
  return async (method, path, body) => {
    const { href: url } = new URL(zone + path)
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/xml' }
    const scope = { region, service: 'route53', now: now() }
    const signed = signAwsRequest({ method, url, headers, body: body ?? '' }, credentials, scope)
    const written = body === undefined ? {} : { body }
    return await callApi(outbound, provider, { method, url, headers: { ...headers, ...signed }, ...written }, signal)
  }
}

/** Route 53 has one region for all of AWS, and one for each separate AWS partition. */
function regionOf(apiBase: string): string {
  const { hostname } = new URL(apiBase)
  if (hostname.endsWith('.amazonaws.com.cn')) return 'cn-northwest-1'
  return hostname === 'route53.us-gov.amazonaws.com' ? 'us-gov-west-1' : 'us-east-1'
}

function isOurs({ type }: RecordSet): boolean {
  return recordTypes.some(known => known === type)
}

function recordOf(name: string, { type, target }: DnsTarget): RecordSet {
  return { name: `${name}.`, type, ttlSeconds: recordTtlSeconds, values: [target] }
}

function isSame(one: RecordSet, other: RecordSet): boolean {
  return (
    one.name.toLowerCase() === other.name &&
    one.type === other.type &&
    one.ttlSeconds === other.ttlSeconds &&
    one.values.join() === other.values.join()
  )
}

function readZoneName(xml: string): string {
  const name = findText(xml, 'Name')
  if (name === null) throw notUnderstood()
  return name.toLowerCase().replace(/\.$/, '')
}

/** Returns the text of a successful XML response; throws for any other. */
function readGood(answer: ApiAnswer, secretAccessKey: string): string {
  const { status, text } = answer
  if (status >= 200 && status < 300) {
    if (!text.includes('xmlns="https://route53.amazonaws.com/doc/')) throw notUnderstood()
    return text
  }
  const code = codeOf(answer)
  const failure = refusedKey(code) ?? statusFailure(provider, status, 'check the access key and its policy')
  if (failure !== null) throw failure
  if (code === 'NoSuchHostedZone' || status === 404) {
    throw new DnsFailure(
      'unknown_zone',
      'Route 53 does not know the hosted zone (NoSuchHostedZone): check ROUTE53_ZONE_ID.',
    )
  }
  if (code === 'Throttling' || code === 'PriorRequestNotComplete') {
    throw new DnsFailure('limited', `Route 53 limits the rate of requests (${code}).`)
  }
  if (code === null) throw notUnderstood()
  const words = quoteWords(findText(text, 'Message') ?? '', [secretAccessKey])
  throw new DnsFailure('refused', `Route 53 rejected the change (${code}${words === '' ? '' : `: ${words}`}).`)
}

const keyWords: Record<string, string> = {
  InvalidClientTokenId: 'it does not know AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY is not the secret of AWS_ACCESS_KEY_ID',
  AccessDenied: 'the policy of the access key does not allow it',
}

function refusedKey(code: string | null): DnsFailure | null {
  const words = code === null ? undefined : keyWords[code]
  return words === undefined
    ? null
    : new DnsFailure('credentials', `Route 53 rejected the access key (${code}): ${words}.`)
}

/** The error code, in either of the two forms that Route 53 returns. */
function codeOf({ text }: ApiAnswer): string | null {
  const code = findText(text, 'Code')
  if (code !== null) return /^[A-Za-z]{1,60}$/.test(code) ? code : null
  return text.includes('<InvalidChangeBatch ') ? 'InvalidChangeBatch' : null
}

function notUnderstood(): DnsFailure {
  return new DnsFailure('bad_answer', 'The API of Route 53 sent an invalid response: check ROUTE53_API_BASE.')
}
