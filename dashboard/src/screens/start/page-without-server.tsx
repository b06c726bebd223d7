// A page without a server: opens the project to anonymous users, and shows such a page with the project's address.
import { useQuery } from '@tanstack/react-query'
import { addressOf } from '../../api/ask-project.ts'
import { type OneProject, settingsQuery } from '../../api/queries.ts'
import { ActionButton } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Section } from '../../ui/page.tsx'
import { FileHint, Loaded } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { openToAnonymousUsers } from './open-to-anonymous-users.ts'

export function PageWithoutServer({ project }: { project: OneProject }) {
  const settings = useQuery(settingsQuery(project.id))
  const toast = useToast()
  const open = async (): Promise<void> => {
    await openToAnonymousUsers(project.id)
    toast.show('Pages of the allowed origins get tokens without a server.')
  }
  return (
    <Section title="Or a page without a server">
      <p>
        Users without an account get a token for a moment of computing time, and a tier of their own, in which requests
        can only use your <a href="/docs/prompts">prompts</a>: the page uses the prompt <code>chat</code>. Anybody can
        be such a user: set limits and a budget before others know the page.{' '}
        <a href="/docs/anonymous-users">About anonymous users</a>
      </p>
      <Loaded query={settings} what="the settings">
        {({ anonymous }) =>
          anonymous === null && project.managed_by !== null ? (
            <FileHint />
          ) : anonymous === null ? (
            <p>
              <ActionButton run={open}>Allow anonymous users and deploy</ActionButton>
            </p>
          ) : (
            <p>The draft has anonymous users.</p>
          )
        }
      </Loaded>
      <p>The whole page, for the origin that you allowed:</p>
      <Copyable label="page without a server" text={pageFor(project.slug)} />
    </Section>
  )
}

/** The same as examples/page/index.html. */
const pageFor = (slug: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Chat</title>
<form><label>Message <input name="message" required></label> <button type="submit" name="send">Send</button></form>
<p><output></output><span role="alert"></span></p>
<script type="module">
  import { anonymousTokens, createGatewayFetch } from '${location.origin}/sdk.js'

  const baseUrl = '${addressOf(slug)}'
  const gatewayFetch = createGatewayFetch({ baseUrl, tokenProvider: anonymousTokens({ baseUrl }) })
  async function* ask(content) {
    const messages = [{ role: 'user', content }]
    const body = JSON.stringify({ prompt: { id: 'chat' }, messages, stream: true })
    const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }
    const response = await gatewayFetch(\`\${baseUrl}/v1/chat/completions\`, request)
    if (!response.ok) throw new Error((await response.json()).error.message)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = (rest + next.value).split('\\n')
      rest = lines.pop()
      for (const line of lines.filter(one => one.startsWith('data: {'))) yield JSON.parse(line.slice(6))
    }
  }
  const { send, message } = document.querySelector('form').elements
  const [output, alert] = document.querySelectorAll('output, [role=alert]')
  send.form.onsubmit = async event => {
    event.preventDefault()
    send.disabled = true
    output.textContent = alert.textContent = ''
    try {
      for await (const { error, choices } of ask(message.value)) {
        if (error) throw error
        output.append(choices[0]?.delta.content ?? '')
      }
    } catch (error) {
      alert.textContent = error.message
    }
    send.disabled = false
  }
</script></html>
`
