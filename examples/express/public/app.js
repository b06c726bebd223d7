// The page: streams answers from the gateway, on another origin than this page's, with a token of this user.
import { createTokenProvider, openaiOptions } from '@sallyport/sdk'
import OpenAI from 'openai'

const form = document.querySelector('form')
const output = document.querySelector('output')
const alert = document.querySelector('[role=alert]')

const { baseUrl } = await (await fetch('/config.json')).json()
const tokenProvider = createTokenProvider(({ isRejected }) => fetch(`/token?fresh=${isRejected}`))
const openai = new OpenAI(openaiOptions({ baseUrl, tokenProvider, sessionId: crypto.randomUUID() }))

form.addEventListener('submit', async event => {
  event.preventDefault()
  form.elements.send.disabled = true
  output.textContent = ''
  alert.textContent = ''
  const content = form.elements.message.value
  try {
    const request = { model: 'default', messages: [{ role: 'user', content }], stream: true }
    for await (const chunk of await openai.chat.completions.create(request)) {
      output.textContent += chunk.choices[0]?.delta.content ?? ''
    }
  } catch (error) {
    alert.textContent = error.message
  } finally {
    form.elements.send.disabled = false
  }
})
form.dataset.ready = 'true'
