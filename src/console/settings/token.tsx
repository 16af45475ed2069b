import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import type { Action, Changes, Outcome } from './section.tsx'
import { words } from './words.ts'

/** An access token. It is not shown while it is typed, and no store of passwords is offered it. */
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

/** The token of a form with a TokenField, where one was typed. */
export function tokenIn(form: FormData): { accessToken?: string } {
  const accessToken = textIn(form, 'accessToken')
  return accessToken === '' ? {} : { accessToken }
}

/** The actions that give a channel or an ad account a token, and that take it away. */
export function tokenActions({
  name,
  hasToken,
  hint,
  loss,
  ask,
  setToken,
}: Pick<Changes, 'ask'> & {
  name: string
  hasToken: boolean
  hint: string
  /** The consequences of a disconnection. */
  loss: string
  setToken: (accessToken: string | null) => Promise<Outcome>
}): { connect: Action; disconnect: Action | false } {
  return {
    connect: {
      text: hasToken ? words.replaceToken : words.connect,
      run: () =>
        ask({
          title: words.connectTitle(name),
          submit: words.connect,
          fields: <TokenField hint={hint} isRequired />,
          run: (form) => setToken(textIn(form, 'accessToken')),
        }),
    },
    disconnect: hasToken && {
      text: words.disconnect,
      isPlain: true,
      run: () =>
        ask({
          title: words.disconnectTitle(name),
          submit: words.disconnect,
          isBad: true,
          text: loss,
          run: () => setToken(null),
        }),
    },
  }
}
