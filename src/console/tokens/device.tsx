import { useState } from 'preact/hooks'
import type { WaitingDevice } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Entrance } from '../entrance.tsx'
import { TextField } from '../fields.tsx'
import { Form, textIn } from '../forms.tsx'
import { useMe } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Button, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { entrance as entranceWords, tokens as words } from '../words.ts'
import { GrantFields, grantIn } from './grant-fields.tsx'

/** Returns the code from the address's fragment, which no log records. A person can type in another. */
const codeInAddress = (): string => /^#code=([\w-]{1,40})$/.exec(location.hash)?.[1] ?? ''

interface Waiting extends WaitingDevice {
  userCode: string
}

/** A program shows the person a code; they sign it in or refuse it here. */
export default function Device() {
  const [waiting, setWaiting] = useState<Waiting>()
  const [answer, setAnswer] = useState<keyof typeof words.answers>()
  return (
    <Entrance title={words.deviceTitle}>
      {answer !== undefined ? (
        <p role="status">{words.answers[answer]}</p>
      ) : waiting === undefined ? (
        <AskForCode onFound={setWaiting} />
      ) : (
        <Decide about={waiting} onDone={setAnswer} />
      )}
    </Entrance>
  )
}

function AskForCode({ onFound }: { onFound: (waiting: Waiting) => void }) {
  const { person } = useMe()
  const { busy, error, act } = useAct()
  const look = (form: FormData) =>
    act(async () => {
      const userCode = textIn(form, 'code')
      onFound({ ...(await call('readDeviceLogin', { body: { userCode } })), userCode })
    })
  return (
    <>
      <p class="quiet">{entranceWords.signedInAs({ name: person.name, mail: person.mail })}</p>
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
    </>
  )
}

interface DecideProps {
  about: Waiting
  onDone: (answer: keyof typeof words.answers) => void
}

function Decide({ about: { userCode, name, scopes, address, createdAt }, onDone }: DecideProps) {
  const { person } = useMe()
  const { busy, error, act } = useAct()
  const zone = person.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const allow = (form: FormData) =>
    act(async () => {
      await call('allowDeviceLogin', { body: { userCode, ...grantIn(form) } })
      onDone('allowed')
    })
  const refuse = () =>
    act(async () => {
      await call('refuseDeviceLogin', { body: { userCode } })
      onDone('refused')
    })
  return (
    <>
      <p>
        {words.asks}{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
      <p class="quiet small-text">{words.from({ address, time: formatInstant(createdAt, zone, 'short') })}</p>
      <Note kind="warn">
        <p>{words.warning}</p>
      </Note>
      <Form error={error} onSubmit={allow}>
        <GrantFields asked={scopes} />
        <div class="actions">
          <Button type="submit" kind="primary" disabled={busy}>
            {words.allow}
          </Button>
          <Button disabled={busy} onClick={() => void refuse()}>
            {words.refuse}
          </Button>
        </div>
      </Form>
    </>
  )
}
