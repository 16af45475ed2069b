export default function P() {
  return <p>soon</p>
}
