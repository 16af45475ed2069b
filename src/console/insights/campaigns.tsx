import { TextField } from '../fields.tsx'
import { useUrlQuery } from '../navigation.ts'
import { locale } from '../wording.ts'
import { insights as words } from '../words.ts'
import { campaignsToCsv } from './csv.ts'
import {
  type ComparedCampaign,
  changeOf,
  compareCampaigns,
  filterCampaigns,
  METRICS,
  type Metric,
  metricOf,
  sumOf,
} from './figures.ts'
import { FiguresTable } from './figures-table.tsx'
import { describeChange, fileOfInsights, type Shown } from './format.ts'
import { readSort, sortBy } from './sort.ts'
import { daysBeside } from './window.ts'

const COLUMNS = ['campaign', ...METRICS, 'change'] as const
type Column = (typeof COLUMNS)[number]

/** Totals per campaign, filtered by name and sorted by a column. The name opens the campaign's days. */
export function Campaigns({ account, window, campaigns, before, chosen, comparedWith, metric, format }: Shown) {
  const { query, setQuery } = useUrlQuery()
  const search = query.filter ?? ''
  const sort = readSort<Column>(COLUMNS, { by: query.sort, order: query.order }, { by: metric, isDescending: true })
  const beside = daysBeside(window, comparedWith)
  const found = filterCampaigns(campaigns, search)
  const rows = sortBy(
    compareCampaigns(found, before, beside),
    (row) => sortValue(row, sort.by, metric),
    sort.isDescending,
    locale,
  )
  const shown = rows.map(({ campaign }) => campaign)
  const foundBefore = before && filterCampaigns(before, search)
  const sumBefore = foundBefore && totalOf(compareCampaigns(foundBefore, foundBefore, beside))
  const figuresOf = ({ sum, sumBefore: earlier }: Pick<ComparedCampaign, 'sum' | 'sumBefore'>) => [
    ...METRICS.map((one) => format(metricOf(sum, one), one)),
    ...(before ? [describeChange(metricOf(sum, metric), metricOf(earlier, metric), metric)] : []),
  ]
  return (
    <FiguresTable
      className="campaigns"
      title={words.byCampaign}
      label={words.campaigns}
      file={{
        name: fileOfInsights([account.name, 'campaigns'], window),
        toCsv: () => campaignsToCsv(shown, account.currency),
        rows: shown.reduce((many, { days }) => many + days.length, 0),
      }}
      heads={[
        ['campaign', words.campaign],
        ...METRICS.map((one) => [one, words.metric[one]] as const),
        ...(before ? [['change', words.beforeHead({ metric: words.metric[metric] })] as const] : []),
      ]}
      sort={sort}
      onSort={({ by, isDescending }) => setQuery({ sort: by, order: isDescending ? 'desc' : 'asc' })}
      controls={
        <TextField
          type="search"
          label={words.filter}
          value={search}
          onInput={({ currentTarget }) => setQuery({ filter: currentTarget.value }, { replace: true })}
        />
      }
      rows={rows.map(({ campaign: { campaignId, campaignName }, ...sums }) => [
        campaignId,
        <button
          key="name"
          type="button"
          class="campaign-name"
          aria-pressed={campaignId === chosen}
          onClick={() => setQuery({ campaign: campaignId })}
        >
          <bdi>{campaignName || campaignId}</bdi>
        </button>,
        ...figuresOf(sums),
      ])}
      total={['total', words.totalOf({ many: shown.length }), ...figuresOf({ sum: sumOf(shown), sumBefore })]}
    >
      <p role="status" class="quiet small-text">
        {shown.length === 0 && words.noneFound({ search })}
      </p>
    </FiguresTable>
  )
}

/** Returns the campaigns' total over the compared days. */
const totalOf = (campaigns: readonly ComparedCampaign[]) => sumOf(campaigns.map(({ campaign }) => campaign))

/** Returns the value to sort a campaign by. */
function sortValue({ campaign, sum, sumBefore }: ComparedCampaign, column: Column, metric: Metric) {
  if (column === 'campaign') return campaign.campaignName || campaign.campaignId
  if (column === 'change') return changeOf(metricOf(sum, metric), metricOf(sumBefore, metric), metric)
  return metricOf(sum, column)
}
