import type { EventType } from '../../interface/generated/types.ts'
import { common } from '../words.ts'
import type { words as english } from './webhooks.words.ts'

const { count, list } = common

const EVENTS: Record<EventType, string> = {
  'post.failed': 'Uma publicação falhou',
  'post.waiting_for_approval': 'Uma publicação aguarda aprovação',
  'token.refused': 'Um token é recusado',
  'key.expiring': 'Uma chave expira em breve',
  'import.finished': 'Uma importação terminou',
  'superpower.acted': 'Um superpoder agiu',
  'superpower.stopped': 'Um superpoder foi parado',
  'raffle.drawn': 'Um sorteio foi feito',
  test: 'Um teste',
}

export const words: typeof english = {
  title: 'Webhooks',
  hint: 'Seus programas são avisados dos eventos, para que não precisem ficar perguntando. Eles recebem ids, nunca o que as pessoas escreveram.',
  noneTitle: 'Não há nenhum webhook',
  none: 'Adicione o endereço em que o seu programa recebe eventos.',
  add: 'Adicionar um webhook',
  addIt: 'Adicionar',
  editTitle: (name) => `Editar ${name}`,
  name: 'Nome',
  nameHint: 'Por exemplo, o programa que é avisado.',
  address: 'Endereço',
  addressHint: 'Ele começa com https:// e pode ser acessado pela internet.',
  chosen: 'Eventos',
  allEvents: 'Todos os eventos, também os de versões posteriores',
  someEvents: 'Só estes',
  noEvent: 'Escolha pelo menos um evento.',
  toldOf: (events) => (events === undefined ? 'Todos os eventos' : list(events.map((event) => EVENTS[event]))),
  events: EVENTS,
  since: (day) => `desde ${day}`,
  twoSecrets: (time) => `o segredo anterior também assina até ${time}`,
  off: 'Desligado: não é avisado de nada novo',
  switchOff: 'Desligar',
  switchOn: 'Ligar',
  switched: (name, on) => (on ? `${name} está ligado.` : `${name} está desligado.`),
  sendTest: 'Enviar um teste',
  testSent: 'Um teste está a caminho.',
  rotate: 'Trocar o segredo',
  rotateTitle: (name) => `Trocar o segredo de ${name}?`,
  rotateText:
    'Durante um dia cada evento é assinado com os dois segredos, para que você tenha tempo de atualizar o seu programa.',
  remove: 'Remover',
  removeTitle: (name) => `Remover ${name}?`,
  removeText: 'Nada mais é enviado, e os eventos pendentes não são entregues.',
  removed: (name) => `${name} foi removido.`,
  ready: 'O webhook está pronto',
  lead: 'Guarde o segredo dele agora: só é mostrado uma vez. Com ele o seu programa verifica se um evento vem deste servidor.',
  secret: 'Segredo',
  secretHint: 'Guarde-o com o mesmo cuidado que uma senha.',

  deliveries: 'Entregas',
  deliveriesHint: 'Os últimos 30 dias, da mais recente à mais antiga.',
  ofWebhook: 'Webhook',
  ofAll: 'Todos os webhooks',
  removedWebhook: 'um webhook removido',
  to: (webhook, time) => `para ${webhook} · ${time}`,
  noneThere: 'Nada lhe foi enviado neste período.',
  delivered: (attempts) => (attempts > 1 ? `Entregue na tentativa ${attempts}` : 'Entregue'),
  notDelivered: (attempts, why) =>
    attempts > 0 ? `Não entregue em ${count(attempts, 'tentativa')}. ${why}` : `Não entregue. ${why}`,
  onItsWay: 'A caminho',
  again: (why, time) => `${why} É enviado de novo ${time}.`,
  sendAgain: 'Enviar de novo',
  sentAgain: 'Está a caminho de novo.',
  more: 'Mostrar mais',
  older: 'A linha de comando lista as mais antigas: greenroom webhooks deliveries.',
  show: 'Mostrar',
  payload: 'Enviado',
  answer: 'Respondido',
  answerOf: (status, time, durationMs) =>
    status === undefined
      ? `Sem resposta · ${time} · ${durationMs} ms`
      : `Status ${status} · ${time} · ${durationMs} ms`,
  notTried: 'Ainda não foi enviado.',
  noText: 'A resposta não tinha texto.',
  firstBytes: 'Os primeiros 2 kB do que o programa respondeu por último.',
}
