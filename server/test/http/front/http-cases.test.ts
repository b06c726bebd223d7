// The compiled raw HTTP abuse cases, sent as they are over a socket to the real listener.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

interface Case {
  name: string
  raw_latin1_base64: string
  required: string
}

const path = join(import.meta.dirname, '../../data/security/http_cases.json')
const { cases }: { cases: Case[] } = JSON.parse(readFileSync(path, 'utf8'))
const hosts = { baseUrl: 'http://h', publicDomain: 'pub', internalDomain: 'dev.pub' }
/** Must never be seen as a request of its own, whatever stands before it. */
const follower = 'GET /follower HTTP/1.1\r\nHost: h\r\n\r\n'

/** What each `required` sentence allows, as statuses. */
function allowedStatuses(required: string): number[] {
  if (required === 'not upgraded') return [200]
  if (required.startsWith('same project as without dot')) return [200, 400]
  if (required.startsWith('400, or header dropped')) return [200, 400]
  return [...required.matchAll(/\b[1-5][0-9]{2}\b/g)].map(([status]) => Number(status))
}

describe('compiled raw requests', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(35)
    for (const { required } of cases) expect(allowedStatuses(required)).not.toHaveLength(0)
  })

  it.each(cases)('$name → $required', async ({ raw_latin1_base64, required }) => {
    const { port, arrivals } = await runListener({ hosts })
    const { answers } = await sendRaw(port, Buffer.from(raw_latin1_base64, 'base64'))
    expect(answers).toHaveLength(1)
    expect(allowedStatuses(required)).toContain(answers[0]!.status)
    expect(answers[0]!.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(arrivals).toHaveLength(answers[0]!.status === 200 ? 1 : 0)
    for (const { headers, rawHeaders } of arrivals) {
      expect(Object.keys(headers).filter(name => /tenant/i.test(name))).toHaveLength(0)
      expect(rawHeaders.filter(name => /tenant/i.test(name))).toHaveLength(0)
    }
  })

  it.each(cases.filter(each => !allowedStatuses(each.required).includes(200) && each.required !== '405'))(
    '$name: nothing behind it is dispatched',
    async ({ raw_latin1_base64 }) => {
      const { port, arrivals } = await runListener({ hosts })
      const bytes = Buffer.concat([Buffer.from(raw_latin1_base64, 'base64'), Buffer.from(follower)])
      const { closed } = await sendRaw(port, bytes, { quietMs: 3_000 })
      expect(arrivals.filter(({ url }) => url === '/follower')).toHaveLength(0)
      expect(closed).toBe(true)
    },
  )
})
