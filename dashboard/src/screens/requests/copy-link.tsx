// Copies the address of the page.
import { ActionButton } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'

export function CopyLink() {
  const toast = useToast()
  const copy = async (): Promise<void> => {
    if (!isSecureContext) throw new Error('The browser copies only over HTTPS: take the link from its address bar')
    await navigator.clipboard.writeText(location.href)
    toast.show('The link is copied.')
  }
  return <ActionButton run={copy}>Copy link</ActionButton>
}
