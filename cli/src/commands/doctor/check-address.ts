// Whether the installation is reached: its name, its certificate, its readiness and its clock.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { examine, type Finding, failed, ok, warning } from './finding.ts'

const timeoutMs = 10_000
const soonDays = 14
const dayMs = 86_400_000
/** Tokens are valid from the second in which they are minted. */
const maxClockMs = 5_000

export async function checkAddress(address: string): Promise<Finding[]> {
  const url = new URL(address)
  const name = await examine('DNS', 'troubleshooting', () => checkName(url))
  const others = [
    examine('TLS', 'deployment', () => checkCertificate(url)),
    examine('Readiness', 'operations', () => checkReadiness(url)),
    examine('Clock', 'operations', () => checkClock(url)),
  ]
  return [...name, ...(await Promise.all(others)).flat()]
}

async function checkName({ hostname }: URL): Promise<Finding[]> {
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })
  return [ok('DNS', `${hostname} is ${addresses.map(({ address }) => address).join(', ')}`)]
}

async function checkCertificate({ protocol, hostname, port }: URL): Promise<Finding[]> {
  if (protocol === 'http:') {
    const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname)
    return isLocal
      ? [ok('TLS', 'not needed on this machine')]
      : [warning('TLS', 'Tokens travel unencrypted', 'deployment')]
  }
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: timeoutMs })
  try {
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'timeout').then(() => fail('No answer to TLS'))])
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / dayMs)
    const words = `The certificate is valid for ${days} more days`
    return [days < soonDays ? warning('TLS', words, 'deployment') : ok('TLS', words)]
  } finally {
    socket.destroy()
  }
}

function fail(message: string): never {
  throw Object.assign(new Error(message), { code: 'TIMEOUT' })
}

async function checkReadiness(url: URL): Promise<Finding[]> {
  const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(timeoutMs) })
  const text = await response.text()
  if (response.ok) return [ok('Readiness', 'database and store answer')]
  return [
    failed('Readiness', `The installation is not ready (${response.status}): ${text.slice(0, 200)}`, 'operations'),
  ]
}

async function checkClock(url: URL): Promise<Finding[]> {
  const startedAt = Date.now()
  const response = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(timeoutMs) })
  await response.body?.cancel()
  const remote = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(remote)) return []
  // The header has seconds, and the answer took its time.
  const difference = Math.max(0, Math.abs(remote - startedAt) - (Date.now() - startedAt) - 1000)
  const words = `The clocks differ by ${(difference / 1000).toFixed(1)} s`
  return [difference > maxClockMs ? warning('Clock', words, 'operations') : ok('Clock', words)]
}
