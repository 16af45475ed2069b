import { useQueryClient } from '@tanstack/preact-query'
import { ApiError, updateOrganization } from '../api.ts'
import { words as factorWords } from '../factors/words.ts'
import { TextField, ZoneField } from '../fields.tsx'
import { Form, Switch, textIn } from '../forms.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Note, Problem } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useNow } from '../use-now.ts'
import { common } from '../words.ts'
import { words } from './words.ts'

/** Sets the name, the time zone, and whether everyone needs a second factor. */
export function OrganizationSettings() {
  const { id, name, timeZone } = useOrganization()
  const client = useQueryClient()
  const nowMs = useNow()
  const { busy, error, act } = useAct()
  const save = (form: FormData) =>
    act(async () => {
      await updateOrganization(id, { name: textIn(form, 'name'), timeZone: textIn(form, 'timeZone') })
      await client.invalidateQueries({ queryKey: ['me'] })
    }, words.saved)
  return (
    <section class="section">
      <Form className="card form" error={error} onSubmit={save}>
        <TextField label={words.name} name="name" required maxLength={200} defaultValue={name} />
        <ZoneField
          label={words.timeZone}
          hint={words.timeZoneHint(zoneName(timeZone), formatInstant(nowMs, timeZone, 'time'))}
          name="timeZone"
          zone={timeZone}
        />
        <div class="actions">
          <Button type="submit" kind="primary" disabled={busy}>
            {common.save}
          </Button>
        </div>
      </Form>
      <Demand />
    </section>
  )
}

/** Switches on that everyone in the organization needs a second factor. */
function Demand() {
  const { id, requireSecondFactor } = useOrganization()
  const client = useQueryClient()
  const { error, act } = useAct()
  const demand = (isOn: boolean): Promise<boolean> =>
    act(async () => {
      await updateOrganization(id, { requireSecondFactor: isOn })
      await client.invalidateQueries({ queryKey: ['me'] })
    }, words.saved)
  return (
    <>
      <Switch checked={requireSecondFactor} onChange={demand}>
        {words.demand}
      </Switch>
      <p class="quiet small-text">{words.demandHint}</p>
      {error instanceof ApiError && error.code === 'second_factor_missing' ? (
        <Note kind="bad" role="alert">
          <p>
            {words.demandMissing} <a href={hrefOf(id, 'settings', ['account'])}>{factorWords.toFactors}</a>
          </p>
        </Note>
      ) : (
        <Problem error={error} />
      )}
    </>
  )
}
