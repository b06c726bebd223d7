// `login` and `logout`: a session of one's own, for which a browser on any machine vouches.
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ManagementClient, SallyportError } from '@sallyport/sdk'
import type { Command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { Failure } from '../frame/failure.ts'
import { readSignIns, writeSignIns } from '../frame/sign-ins.ts'
import { paint, printError } from '../frame/terminal.ts'

/** The first one is asked for by RFC 8628 where the server says nothing. */
const slowerSeconds = 5

export const loginCommand: Command = {
  name: 'login',
  summary: 'Sign in with a browser, on this machine or any other',
  example: 'sallyport login --url https://llm.example.com',
  async run(_input, context) {
    const client = context.stranger()
    const body = { client_name: `sallyport on ${hostname()}` }
    const asked = await client.request('POST', '/auth/v1/device/code', { body })
    printError(`Open this page, and approve the code ${paint('bold', asked.user_code, process.stderr)}:`)
    printError(`  ${asked.verification_uri_complete}`)
    const { access_token: token, expires_in: seconds } = await poll(client, asked, context.signal)
    const expiresAt = new Date(Date.now() + seconds * 1000).toISOString()
    const signIns = readSignIns(context.signInsFile)
    const installations = { ...signIns.installations, [context.url]: { token, expires_at: expiresAt } }
    writeSignIns(context.signInsFile, { default: context.url, installations })
    const { email } = await context.withToken(token).request('GET', '/auth/v1/sessions/current')
    const json = { url: context.url, email, expires_at: expiresAt }
    return { json, text: `Signed in to ${context.url} as ${email}, until ${expiresAt}.\nNext: sallyport projects` }
  },
}

export const logoutCommand: Command = {
  name: 'logout',
  summary: 'End the session of `login`, and forget it',
  example: 'sallyport logout',
  async run(_input, context) {
    const signIns = readSignIns(context.signInsFile)
    const { [context.url]: signIn, ...installations } = signIns.installations
    if (signIn === undefined) throw new Failure(`There is no session of ${context.url} here`)
    await endSession(context, signIn.token)
    const isDefault = signIns.default === context.url
    writeSignIns(context.signInsFile, { default: isDefault ? null : signIns.default, installations })
    return { json: { url: context.url, signed_out: true }, text: `Signed out of ${context.url}.` }
  },
}

type Asked = { device_code: string; interval: number; expires_in: number }

async function poll(client: ManagementClient, asked: Asked, signal: AbortSignal) {
  const body = { device_code: asked.device_code }
  const until = Date.now() + asked.expires_in * 1000
  let { interval } = asked
  while (Date.now() < until) {
    await sleep(interval * 1000, undefined, { signal }).catch(() => {
      throw new Failure('Not signed in: the command was interrupted')
    })
    try {
      return await client.request('POST', '/auth/v1/device/token', { body })
    } catch (error) {
      if (!(error instanceof SallyportError)) throw error
      if (error.code === 'slow_down') interval += slowerSeconds
      else if (error.code === 'access_denied') throw new Failure('The sign-in was denied', null, error.code)
      else if (error.code !== 'authorization_pending' && !error.retryable) throw error
    }
  }
  throw new Failure('Nobody approved the code in time', 'Start again: sallyport login', 'expired_token')
}

/** A session that has ended already is as good as ended. */
async function endSession(context: Context, token: string): Promise<void> {
  try {
    await context.withToken(token).request('DELETE', '/auth/v1/sessions/current')
  } catch (error) {
    if (!(error instanceof SallyportError && error.status === 401)) throw error
  }
}
