// Checks what a form says with the provider, without storing it.
import { useRef } from 'react'
import { ActionButton } from '../../ui/button.tsx'
import { type FormValues, readValues } from '../../ui/form.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Verdict {
  valid: boolean
  reason?: 'invalid_key' | 'network_error' | 'timeout' | 'rate_limited'
}

const reasons: Record<NonNullable<Verdict['reason']>, string> = {
  invalid_key: 'The provider rejected the credential.',
  network_error: 'The provider cannot be reached, or did not answer as expected.',
  timeout: 'The provider did not answer in time.',
  rate_limited: 'The provider has had too many requests. Try again later.',
}

/** Stands in the form that it checks. */
export function CheckButton({ check }: { check: (values: FormValues) => Promise<Verdict> }) {
  const box = useRef<HTMLSpanElement>(null)
  const toast = useToast()
  const run = async (): Promise<void> => {
    const form = box.current?.closest('form')
    if (form === null || form === undefined || !form.reportValidity()) return
    const { valid, reason = 'network_error' } = await check(readValues(form))
    if (valid) toast.show('The provider accepts the credential. Nothing is stored.')
    else toast.showError(reasons[reason])
  }
  return (
    <span ref={box}>
      <ActionButton run={run}>Check only</ActionButton>
    </span>
  )
}
