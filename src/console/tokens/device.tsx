import { useState } from 'preact/hooks'
import type { WaitingDevice } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Entrance } from '../entrance.tsx'
import { words as entranceWords } from '../entrance.words.ts'
import { TextField } from '../fields.tsx'
import { Form, textIn } from '../forms.tsx'
import { useMe } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Button, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { GrantFields, grantIn } from './grant-fields.tsx'
import { words } from './words.ts'

/** The code in the fragment of the address, which no log has. A person can type in another one. */
const codeInAddress = (): string => /^#code=([\w-]{1,40})$/.exec(location.hash)?.[1] ?? ''

interface Waiting extends WaitingDevice {
  userCode: string
}

/** A person lets a program in that shows them a code, or refuses it. */
export default function Device() {
  const { person } = useMe()
  const [waiting, setWaiting] = useState<Waiting>()
  const [answer, setAnswer] = useState<'allowed' | 'refused'>()
  const { busy, error, act } = useAct()
  const look = (form: FormData) =>
    act(async () => {
      const userCode = textIn(form, 'code')
      const device = await call('readDeviceLogin', { body: { userCode } })
      setWaiting({ ...device, userCode })
    })
  const allow = (form: FormData) =>
    act(async () => {
      const { userCode } = waiting!
      await call('allowDeviceLogin', { body: { userCode, ...grantIn(form) } })
      setAnswer('allowed')
    })
  const refuse = () =>
    act(async () => {
      const { userCode } = waiting!
      await call('refuseDeviceLogin', { body: { userCode } })
      setAnswer('refused')
    })
  if (answer !== undefined) {
    return (
      <Entrance title={words.deviceTitle}>
        <p role="status">{words.answers[answer]}</p>
      </Entrance>
    )
  }
  if (waiting === undefined) {
    return (
      <Entrance title={words.deviceTitle}>
        <p class="quiet">{entranceWords.signedInAs(person.name, person.mail)}</p>
        <Form error={error} onSubmit={look}>
          <TextField
            label={words.code}
            hint={words.codeHint}
            name="code"
            class="code"
            defaultValue={codeInAddress()}
            required
            maxLength={40}
            autocomplete="off"
            spellcheck={false}
            autofocus
          />
          <Button type="submit" kind="primary" disabled={busy}>
            {words.go}
          </Button>
        </Form>
      </Entrance>
    )
  }
  const zone = person.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Entrance title={words.deviceTitle}>
      <p>
        {words.asks}{' '}
        <strong>
          <bdi>{waiting.name}</bdi>
        </strong>
      </p>
      <p class="quiet small-text">{words.from(waiting.address, formatInstant(waiting.createdAt, zone, 'short'))}</p>
      <Note kind="warn">
        <p>{words.warning}</p>
      </Note>
      <Form error={error} onSubmit={allow}>
        <GrantFields asked={waiting.scopes} />
        <div class="actions">
          <Button type="submit" kind="primary" disabled={busy}>
            {words.allow}
          </Button>
          <Button disabled={busy} onClick={() => void refuse()}>
            {words.refuse}
          </Button>
        </div>
      </Form>
    </Entrance>
  )
}
