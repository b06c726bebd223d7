// What all pages share: the query cache, toasts, the confirmation dialog.
import { QueryClientProvider } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { queryClient } from '../api/queries.ts'
import { ConfirmProvider } from '../ui/dialogs/confirm.tsx'
import { ToastProvider } from '../ui/toast.tsx'

export function Providers({ children }: { children: ReactNode }) {
  const page = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider page={page}>
        <ConfirmProvider>{children}</ConfirmProvider>
      </ToastProvider>
    </QueryClientProvider>
  )
}
