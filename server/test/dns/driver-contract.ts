// What every DNS driver must do, whatever it talks to: each suite brings a stage with a zone of its own and runs this.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DnsFailure } from '../../src/dns/dns-failure.ts'
import type { DnsDriver, DnsTarget, HostNames } from '../../src/dns/driver.ts'
import { roomFor } from '../support/slowness.ts'

export const zone = 'gate.test'
export const address: DnsTarget = { type: 'A', target: '192.0.2.1' }

export interface Stage {
  driver: (target?: DnsTarget) => DnsDriver
  /** Whose credentials are wrong. */
  stranger: () => DnsDriver
  /** As `A 192.0.2.1`, sorted. */
  recordsOf: (name: string) => Promise<string[]>
  /** A record that is nobody's business but its owner's. */
  putText: (name: string, text: string) => Promise<void>
  goAway: () => Promise<void>
  comeBack: () => Promise<void>
  freeze: () => void | Promise<void>
  thaw: () => void
  /** What no sentence may hold. */
  secrets: string[]
}

let count = 0
/** Names that no other test has used. */
export function newHosts(): HostNames {
  const slug = `amber-falcon-${++count}`
  return { public: `${slug}.${zone}`, internal: `${slug}.dev.${zone}` }
}

export const inTime = () => AbortSignal.timeout(10_000)

/** The failure of something that must fail. */
export async function failureOf(attempt: Promise<void>, secrets: string[] = []): Promise<DnsFailure> {
  const error = await attempt.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DnsFailure)) throw new Error('no DnsFailure', { cause: error })
  for (const secret of secrets) expect(error.message).not.toContain(secret)
  expect(error.message).toMatch(/^The .*\.$|^Route 53 .*\.$|^Cloudflare .*\.$/)
  return error
}

export function describeDriver(getStage: () => Stage): void {
  let stage: Stage
  let hosts: HostNames
  const register = (driver: DnsDriver, names = hosts) => driver.register(names, inTime())

  beforeEach(() => {
    stage = getStage()
    hosts = newHosts()
  })
  afterEach(() => stage.thaw())

  const bothHave = async (records: string[]) => {
    expect(await stage.recordsOf(hosts.public)).toEqual(records)
    expect(await stage.recordsOf(hosts.internal)).toEqual(records)
  }

  test('registers both names, and again without a change', async () => {
    await bothHave([])
    for (let time = 0; time < 3; time++) {
      await register(stage.driver())
      await bothHave(['A 192.0.2.1'])
    }
  })

  test('replaces what a name pointed at, in every form of a target', async () => {
    const forms: DnsTarget[] = [
      address,
      { type: 'A', target: '192.0.2.2' },
      { type: 'CNAME', target: 'edge.example.net' },
      { type: 'CNAME', target: 'other.example.net' },
      { type: 'AAAA', target: '2001:db8::1' },
      address,
    ]
    for (const target of forms) {
      await register(stage.driver(target))
      await bothHave([`${target.type} ${target.target}`])
    }
  })

  test('leaves other kinds of records and other names alone', async () => {
    const neighbour = newHosts()
    await register(stage.driver(), neighbour)
    await stage.putText(hosts.public, 'kept')
    await register(stage.driver())
    expect(await stage.recordsOf(hosts.public)).toEqual(['A 192.0.2.1', 'TXT kept'])
    await stage.driver().remove(hosts, inTime())
    expect(await stage.recordsOf(hosts.public)).toEqual(['TXT kept'])
    expect(await stage.recordsOf(neighbour.public)).toEqual(['A 192.0.2.1'])
  })

  test('removes both names, and again where there is nothing', async () => {
    await register(stage.driver({ type: 'CNAME', target: 'edge.example.net' }))
    // The target has another form by now.
    for (let time = 0; time < 2; time++) {
      await stage.driver().remove(hosts, inTime())
      await bothHave([])
    }
  })

  test('registers the public name alone where the zone does not hold the internal one', async () => {
    const names = { public: hosts.public, internal: 'amber-falcon.dev.example.net' }
    await register(stage.driver(), names)
    expect(await stage.recordsOf(names.public)).toEqual(['A 192.0.2.1'])
    await stage.driver().remove(names, inTime())
    expect(await stage.recordsOf(names.public)).toEqual([])
  })

  test.each(['amber-falcon.example.net', `not${zone}`, zone])('refuses %s as a public name', async name => {
    const failure = await failureOf(register(stage.driver(), { ...hosts, public: name }))
    expect(failure).toMatchObject({
      kind: 'outside_zone',
      message: `The name ${name} is outside the DNS zone ${zone}: PUBLIC_DOMAIN must be the zone or a subdomain of it.`,
    })
    await bothHave([])
  })

  test('says that the credentials are wrong, without naming them', async () => {
    const failure = await failureOf(register(stage.stranger()), stage.secrets)
    expect(failure.kind).toBe('credentials')
    await register(stage.driver())
    expect((await failureOf(stage.stranger().remove(hosts, inTime()), stage.secrets)).kind).toBe('credentials')
    await bothHave(['A 192.0.2.1'])
  })

  test('says that the server is away, and works when it is back', async () => {
    await stage.goAway()
    try {
      expect(['unreachable', 'no_answer']).toContain((await failureOf(register(stage.driver()), stage.secrets)).kind)
    } finally {
      await stage.comeBack()
    }
    await register(stage.driver())
    await bothHave(['A 192.0.2.1'])
  })

  test('ends with its signal where no answer comes', async () => {
    await stage.freeze()
    const begun = performance.now()
    const failure = await failureOf(stage.driver().register(hosts, AbortSignal.timeout(300)), stage.secrets)
    expect(failure.kind).toBe('no_answer')
    expect(failure.message).toContain('did not respond in time')
    expect(performance.now() - begun).toBeLessThan(roomFor(5_000))
    const gone = stage.driver().remove(hosts, AbortSignal.abort())
    expect((await failureOf(gone, stage.secrets)).kind).toBe('no_answer')
  })
}
