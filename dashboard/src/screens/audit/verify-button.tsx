// Checks the chain of the audit, and says whether it is whole or where it breaks.
import { useMutation } from '@tanstack/react-query'
import { messageOf } from '../../api/errors.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/numbers.ts'
import type { Verdict } from './queries.ts'

export function VerifyButton({ verify }: { verify: () => Promise<Verdict> }) {
  const check = useMutation({ mutationFn: verify })
  return (
    <div className="grid justify-items-start gap-2">
      <Button onClick={() => check.mutate()} disabled={check.isPending}>
        {check.isPending ? 'Verifying …' : 'Verify chain'}
      </Button>
      <p role="status">
        {check.error !== null && <span className="text-danger">{messageOf(check.error)}</span>}
        {check.data?.fault === null && (
          <span className="text-good">
            The chain is whole: {formatCount(check.data.entries)} entries, up to number{' '}
            {formatCount(check.data.last_seq)}.
          </span>
        )}
        {check.data?.fault != null && (
          <span className="text-danger">The chain is broken. {check.data.fault.message}.</span>
        )}
      </p>
    </div>
  )
}
