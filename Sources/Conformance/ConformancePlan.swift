/// To be written.
package enum ConformancePlan {}
