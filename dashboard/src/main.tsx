// The start of the dashboard.
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { router } from './router/router.tsx'
import { hideLinkToken } from './screens/sign-in/link-token.ts'

hideLinkToken()
const root = document.querySelector('#dashboard')
if (root === null) throw new Error('The page has no element #dashboard')
createRoot(root).render(<RouterProvider router={router} />)
