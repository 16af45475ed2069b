import './checks.test.js'
