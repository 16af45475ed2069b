import type { Channel, ConnectedAdAccount } from '../../interface/generated/types.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { settings as words } from '../words.ts'
import type { Action, Outcome } from './section.tsx'

/** An access token. It is masked, and password managers are not offered it. */
export function TokenField({ hint, isRequired = false }: { hint: string; isRequired?: boolean }) {
  return (
    <TextField
      label={isRequired ? words.token : words.tokenOptional}
      hint={hint}
      name="accessToken"
      type="password"
      autocomplete="off"
      required={isRequired}
      autofocus={isRequired}
    />
  )
}

/** Returns the token from a form with a TokenField, if one was typed. */
export function tokenIn(form: FormData): { accessToken?: string } {
  const accessToken = textIn(form, 'accessToken')
  return accessToken === '' ? {} : { accessToken }
}

/** Describes a channel or ad account after a change: connected or not, and until when. */
export function useConnected(): (changed: Channel | ConnectedAdAccount) => Outcome {
  const { timeZone } = useOrganization()
  return (changed) => {
    const isConnected = 'connected' in changed ? changed.connected : changed.status === 'connected'
    const { tokenExpiresAt: end } = changed
    return {
      announcement: words.connectedNow({ isConnected, end: end ? formatInstant(end, timeZone, 'date') : undefined }),
    }
  }
}

/** The actions that set and remove the token of a channel or an ad account. */
export function tokenActions({
  name,
  hasToken,
  hint,
  loss,
  setToken,
}: {
  name: string
  hasToken: boolean
  hint: string
  /** The consequences of disconnecting. */
  loss: string
  setToken: (body: { accessToken: string | null }) => Promise<Outcome>
}): [connect: Action, disconnect: Action | false] {
  const connect = {
    title: words.connectTitle({ name }),
    submit: words.connect,
    fields: <TokenField hint={hint} isRequired />,
    run: (form: FormData) => setToken({ accessToken: textIn(form, 'accessToken') }),
  }
  const disconnect = {
    title: words.disconnectTitle({ name }),
    submit: words.disconnect,
    isBad: true,
    text: loss,
    run: () => setToken({ accessToken: null }),
  }
  return [
    { text: hasToken ? words.replaceToken : words.connect, ask: connect },
    hasToken && { text: words.disconnect, kind: 'plain', ask: disconnect },
  ]
}
