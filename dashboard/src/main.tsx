// The start of the dashboard.
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { readEarly } from './router/read-early.ts'
import { router } from './router/router.tsx'
import { hideLinkToken } from './screens/sign-in/link-token.ts'

hideLinkToken()
readEarly(location.pathname)
const root = document.querySelector('#dashboard')
if (root === null) throw new Error('The page has no element #dashboard')
createRoot(root).render(<RouterProvider router={router} />)
