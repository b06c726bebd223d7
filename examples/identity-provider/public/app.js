// The page: its token comes from the identity provider, and goes to the gateway as it is.
import { createGatewayFetch } from '@sallyport/sdk'

const form = document.querySelector('form')
const output = document.querySelector('output')
const alert = document.querySelector('[role=alert]')

const { baseUrl, issuer } = await (await fetch('/config.json')).json()
// With Clerk: () => clerk.session.getToken(). With Auth0: () => auth0.getTokenSilently().
const tokenProvider = async () => await (await fetch(`${issuer}/token?user=user-1`)).text()
const gatewayFetch = createGatewayFetch({ baseUrl, tokenProvider, sessionId: crypto.randomUUID() })

form.addEventListener('submit', async event => {
  event.preventDefault()
  form.elements.send.disabled = true
  output.textContent = ''
  alert.textContent = ''
  try {
    output.textContent = await ask(form.elements.message.value)
  } catch (error) {
    alert.textContent = error.message
  } finally {
    form.elements.send.disabled = false
  }
})
form.dataset.ready = 'true'

async function ask(content) {
  const response = await gatewayFetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content }] }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error.message)
  return answer.choices[0].message.content
}
