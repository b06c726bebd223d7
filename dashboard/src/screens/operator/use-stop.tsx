// Sets a kill switch, after the operator has read what it stops.
import { queryClient } from '../../api/queries.ts'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type KillSwitch, setKillSwitch, stoppedBy } from './kill-switches.ts'
import { useOperator } from './operator-context.tsx'
import { killSwitchesQuery } from './queries.ts'

/** Must be typed before everything stops. */
const globalText = 'stop everything'

/** Returns a function that opens the dialog; `name` is what the operator knows the target by. */
export function useStop(): (target: KillSwitch, name: string) => void {
  const operator = useOperator()
  const confirm = useConfirm()
  const toast = useToast()
  return (target, name) => {
    const { scope } = target
    confirm({
      title: scope === 'global' ? 'Stop everything?' : `Stop the ${scope}?`,
      body: (
        <>
          <p>
            {`${stoppedBy[scope]} get 403 “Service disabled by kill switch” within a second, and streams in flight end within two, until you lift the switch.`}
          </p>
          {name !== '' && <bdi className="break-all font-mono">{name}</bdi>}
        </>
      ),
      action: 'Set the kill switch',
      ...(scope === 'global' && { typed: { label: `Type “${globalText}” to confirm`, text: globalText } }),
      run: async () => {
        await setKillSwitch(operator, target, true)
        await queryClient.invalidateQueries({ queryKey: killSwitchesQuery(operator).queryKey })
        toast.show('The kill switch is on.')
      },
    })
  }
}
