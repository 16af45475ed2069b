import './apply-facts.test.js'
