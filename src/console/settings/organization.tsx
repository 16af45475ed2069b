import { useQueryClient } from '@tanstack/preact-query'
import { ApiError, updateOrganization } from '../api.ts'
import { words as factorWords } from '../factors/words.ts'
import { Switch, textIn, useAct } from '../forms.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Field, Problem } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { common } from '../words.ts'
import { words } from './words.ts'

/** Sets the name, the time zone, and whether everyone needs a second factor. */
export function OrganizationSettings() {
  const { id, name, timeZone } = useOrganization()
  const client = useQueryClient()
  const nowMs = useNow()
  const { busy, error, act } = useAct()
  const zones = Intl.supportedValuesOf('timeZone')
  const choices = zones.includes(timeZone) ? zones : [timeZone, ...zones]
  return (
    <section class="section">
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          void act(async () => {
            await updateOrganization(id, { name: textIn(form, 'name'), timeZone: textIn(form, 'timeZone') })
            await client.invalidateQueries({ queryKey: ['me'] })
          }, words.saved)
        }}
      >
        {error !== undefined && <Problem error={error} />}
        <Field label={words.name}>
          {(attributes) => <input {...attributes} name="name" required maxLength={200} defaultValue={name} />}
        </Field>
        <Field
          label={words.timeZone}
          hint={words.timeZoneHint(zoneName(timeZone), formatInstant(nowMs, timeZone, 'time'))}
        >
          {(attributes) => (
            <select {...attributes} name="timeZone" defaultValue={timeZone}>
              {choices.map((zone) => (
                <option key={zone} value={zone} selected={zone === timeZone}>
                  {zoneName(zone)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy}>
            {common.save}
          </button>
        </div>
      </form>
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
        <div class="notice notice-bad" role="alert">
          <p>
            {words.demandMissing} <a href={hrefOf(id, 'settings', ['account'])}>{factorWords.toFactors}</a>
          </p>
        </div>
      ) : (
        error !== undefined && <Problem error={error} />
      )}
    </>
  )
}
