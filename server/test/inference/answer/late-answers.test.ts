// Tests how long a request's masked values are kept: a stream is restored even if it begins late, a plain answer is not
// restored after the vault's life.
import { expect, test } from 'vitest'
import type { EntityType } from '../../../src/domain/settings/settings.ts'
import { Vault } from '../../../src/guardrails/masking/vault.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'
import { eventsOf, textOf } from '../inference-stage.ts'

const type: EntityType = 'EMAIL_ADDRESS'
const token = `<${type}_0123456789ab>`
const mail = 'zoe.roe@example.com'

/** A guard whose vault lives for this long, and a provider that sends its token after twice that time. */
async function openLate(lifeMs: number) {
  const guard = {
    async check(_call: unknown, { messages }: { messages: never[] }) {
      const vault = new Vault(lifeMs)
      vault.keep(type, '0123456789ab', mail)
      vault.complete()
      return { messages, replacement: null, forMemory: () => [], vault }
    },
  }
  return await openChat(
    ({ body }) => ({
      delayMs: lifeMs * 2,
      ...say('openai', { text: [`To ${token.slice(0, 9)}`, token.slice(9)] }, JSON.parse(body).stream),
    }),
    { parts: { guard: guard as never }, settings: { pii_mode: 'enforce', pii_entities: { [type]: 'MASK' } } },
  )
}

test('a stream that begins late is restored', async () => {
  const chat = await openLate(200)
  const { status, text } = await chat.ask({ stream: true })
  expect(status).toBe(200)
  expect(textOf(eventsOf(text))).toBe(`To ${mail}`)
})

test('a plain answer that comes late is not', async () => {
  const chat = await openLate(200)
  expect((await chat.ask()).text).toContain(token)
})
