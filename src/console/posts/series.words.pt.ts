import { common } from '../words.ts'
import type { seriesWords as english } from './series.words.ts'

const { count, list, number } = common

const WEEKDAYS = ['segunda-feira', 'terça-feira', 'quarta-feira', 'quinta-feira', 'sexta-feira', 'sábado', 'domingo']
const weekday = (day: number): string => WEEKDAYS[day - 1] ?? ''

export const seriesWords: typeof english = {
  title: 'Série',
  repeat: 'Repetir…',
  dialogTitle: 'Repetir a publicação',
  lead: 'Cada vez vira um rascunho próprio com o que esta publicação diz agora. Cada um é aprovado separadamente, e uma mudança em um não muda os outros.',
  saveFirst: 'Salve primeiro a publicação, para que as cópias tenham o que você digitou.',
  hashtags: (hashtags) =>
    `O superpoder desta publicação tem ${list(hashtags)}. Em cada canal uma hashtag pertence a uma publicação por vez, por isso a publicação não pode se repetir com ele: retire-o primeiro.`,
  frequency: 'Com que frequência',
  frequencyOf: { DAILY: 'Todo dia', WEEKLY: 'Toda semana', MONTHLY: 'Todo mês' },
  weekdays: 'Em',
  weekday: (day) => weekday(day).replace(/^./, (letter) => letter.toUpperCase()),
  dayOfMonth: 'No dia',
  dayOfMonthHint: 'Em um mês mais curto, vale o último dia.',
  time: 'Às',
  timeHint: (zone) =>
    `Em ${zone}. Onde o relógio pula este horário, a publicação vem o mesmo tanto mais tarde; onde ele o mostra duas vezes, na primeira.`,
  from: 'De',
  end: 'Até',
  endOf: { count: 'Um número de publicações', until: 'Um dia' },
  count: 'Publicações',
  until: 'Último dia',
  dates: (many) => `${count(many, 'rascunho será criado', 'rascunhos serão criados')}`,
  none: 'Nenhum horário desta regra está no futuro.',
  tooMany: (max) => `São mais de ${number(max)} publicações. Escolha um fim mais cedo.`,
  create: (many) => `Criar ${count(many, 'rascunho')}`,
  created: (many) => `${count(many, 'rascunho criado', 'rascunhos criados')}.`,
  rule: ({ frequency, weekdays = [], dayOfMonth = 1, time }, zone) => {
    const days = {
      DAILY: 'Todo dia',
      WEEKLY: `Toda semana: ${list(weekdays.map(weekday))}`,
      MONTHLY: `Todo mês no dia ${number(dayOfMonth)}`,
    }
    return `${days[frequency]}, às ${time} em ${zone}.`
  },
  isThis: 'esta publicação',
  isFirst: 'a primeira',
  stopped: 'A série está parada.',
  stop: 'Parar a série…',
  stopTitle: 'Parar a série?',
  stopText:
    'As publicações da série que estão por vir e sobre as quais ainda não se decidiu são excluídas. Esta também, se for uma delas. As outras ficam.',
  stopSubmit: 'Parar e excluir',
  stoppedNow: (many) =>
    many === 0
      ? 'A série está parada.'
      : `A série está parada: ${count(many, 'publicação excluída', 'publicações excluídas')}.`,
}
