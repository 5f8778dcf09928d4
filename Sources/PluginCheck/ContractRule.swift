/// To be written.
package enum ContractRule {}
