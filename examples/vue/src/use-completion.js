// Streams answers into the state of a component.
import { createCompletions } from '@sallyport/sdk/completions'
import { onScopeDispose, ref } from 'vue'

export function useCompletion(options) {
  const send = createCompletions(options)
  const text = ref('')
  const error = ref('')
  const isRunning = ref(false)
  let running = new AbortController()

  async function complete(request) {
    running.abort()
    running = new AbortController()
    const { signal } = running
    text.value = ''
    error.value = ''
    isRunning.value = true
    try {
      const answer = await send(request, { signal })
      for await (const part of answer) text.value += part.text
    } catch (reason) {
      if (!signal.aborted) error.value = reason.message
    }
    if (signal === running.signal) isRunning.value = false
  }

  const stop = () => running.abort()
  onScopeDispose(stop)
  return { text, error, isRunning, complete, stop }
}
